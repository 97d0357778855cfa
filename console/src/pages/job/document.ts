// One document from the result of a job and the results of the analyses of its recording.
import type { Result } from '../../api/types';

// Earlier results win, except that a transcript with speakers is better than one without.
export function mergeResults(results: (Result | null)[]): Result {
  const present = results.filter((result) => result !== null);
  const merged: Result = {};
  for (const result of present) {
    const tasks = { ...result.tasks, ...merged.tasks };
    Object.assign(merged, { ...result, ...merged });
    if (Object.keys(tasks).length > 0) merged.tasks = tasks;
  }
  const withSpeakers = present.find((result) => result.transcript?.utterances?.some((entry) => entry.speaker));
  if (withSpeakers?.transcript) merged.transcript = withSpeakers.transcript;
  merged.errors = present.flatMap((result) => result.errors ?? []);
  return merged;
}
