// How high a paragraph will be, from the number of its characters and their measured width.
import { textWidth } from '../../text-width';
import type { TranscriptModel } from './transcript-model';

// The sizes of `.paragraph` in transcript.css: a line, and everything besides the text, in pixels.
const LINE_HEIGHT = 27.75;
const BESIDES_TEXT = 37;
const FONT_SIZE = 16.32;
// Words whose width is measured, and characters that stay free at the end of an average line.
const SAMPLE_WORDS = 300;
const FREE_CHARACTERS = 3;

export function rowEstimate(model: TranscriptModel): (index: number, width: number) => number {
  const characterWidth = averageWidth(model.words.slice(0, SAMPLE_WORDS).join(' '));
  return (index, width) => {
    const characters = model.paragraphs[index]?.characters ?? 0;
    const perLine = Math.max(10, width / characterWidth - FREE_CHARACTERS);
    return Math.ceil(characters / perLine) * LINE_HEIGHT + BESIDES_TEXT;
  };
}

function averageWidth(sample: string): number {
  if (sample === '') return FONT_SIZE / 2;
  return textWidth(sample, readingFont()) / sample.length;
}

export const readingFont = (): string => `${FONT_SIZE}px ${getComputedStyle(document.body).fontFamily}`;
