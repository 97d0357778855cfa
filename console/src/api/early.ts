// Requests that are sent before the page that needs their answers exists, so that it waits for fewer round trips.

const answers = new Map<string, Promise<Response | null>>();

// Returns a copy of the answer, or null if it was refused.
export async function requestEarly(path: string): Promise<Response | null> {
  const answer = fetch(path, { credentials: 'same-origin' }).then(
    (response) => (response.ok ? response : null),
    () => null,
  );
  const copy = answer.then((response) => response?.clone() ?? null);
  answers.set(path, answer);
  return copy;
}

// The answer, once; null if there is none or it was refused, for example because nobody was signed in yet.
export async function takeEarly(path: string): Promise<Response | null> {
  const answer = answers.get(path);
  answers.delete(path);
  return (await answer) ?? null;
}

// Whether nobody has taken the answer yet.
export const isUntaken = (path: string): boolean => answers.has(path);
