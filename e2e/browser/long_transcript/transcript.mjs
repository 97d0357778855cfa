// A transcript of three hours and 30,000 words, and the job that the page shows it with.
import { analyse, finished } from '../api.mjs';

const SEGMENTS = 2000;
const WORDS_PER_SEGMENT = 15;
export const SECONDS = 3 * 3600;

// It occurs once, near the end.
export const LATE_WORD = 'hippopotamus';

// Returns the id of the job.
export async function longJob() {
  return finished(await analyse({ transcript: longTranscript(), processing: { topics: {} } }));
}

function longTranscript() {
  const length = SECONDS / SEGMENTS;
  const segments = Array.from({ length: SEGMENTS }, (_, index) => segment(index, index * length, length));
  return {
    text: segments.map(({ text }) => text).join(' '),
    duration_seconds: String(SECONDS),
    language: 'en',
    segments,
  };
}

function segment(id, start, length) {
  const step = length / WORDS_PER_SEGMENT;
  const words = Array.from({ length: WORDS_PER_SEGMENT }, (_, index) => ({
    word: id === SEGMENTS - 5 && index === 3 ? LATE_WORD : `word${id * WORDS_PER_SEGMENT + index}`,
    start: round(start + index * step),
    end: round(start + (index + 1) * step),
    confidence: 1,
  }));
  return { id, start: round(start), end: round(start + length), text: words.map(({ word }) => word).join(' '), words };
}

function round(seconds) {
  return Math.round(seconds * 1000) / 1000;
}
