// Limits in forms and in words: empty uses the server's setting, 0 means unlimited.
import { formatInteger } from '../../format/numbers';

// The largest limit that the server accepts.
const MAX_LIMIT = 1_000_000;

export function limitText(limit: number | null): string {
  if (limit === null) return 'Server’s default';
  return limit === 0 ? 'Unlimited' : formatInteger(limit);
}

export const limitToField = (limit: number | null): string => (limit === null ? '' : String(limit));

// Undefined if the text is not a limit.
export function limitFromField(text: string): number | null | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const limit = Number(trimmed);
  return /^[0-9]+$/.test(trimmed) && limit <= MAX_LIMIT ? limit : undefined;
}

export const limitProblem = (text: string): string | null =>
  limitFromField(text) === undefined ? 'Enter a whole number up to a million, or leave it empty.' : null;
