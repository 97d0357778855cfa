// Requests that are sent before the page that needs their answers exists, so that it waits for fewer round trips.

class EarlyAnswers<T> {
  private readonly answers = new Map<string, Promise<T | null>>();

  constructor(private readonly read: (response: Response) => T | Promise<T>) {}

  // Returns null if the request was refused, for example because nobody is signed in yet.
  request(path: string): Promise<T | null> {
    const answer = fetch(path, { credentials: 'same-origin' })
      .then((response) => (response.ok ? this.read(response) : null))
      .catch(() => null);
    this.answers.set(path, answer);
    return answer;
  }

  // The answer, once: null if there was no request, or the promise of null if it was refused.
  take(path: string): Promise<T | null> | null {
    const answer = this.answers.get(path) ?? null;
    this.answers.delete(path);
    return answer;
  }
}

export const earlyJson = new EarlyAnswers<unknown>((response) => response.json());
// Answers whose body is read while it arrives.
export const earlyResponses = new EarlyAnswers((response) => response);
