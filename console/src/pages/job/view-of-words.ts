// Which words of the transcript are in view.
import type { TranscriptModel } from './transcript-model';
import { rangeOfWord } from './word-places';

// The bar and the player cover the top of the window.
export function coveredHeight(): number {
  return document.querySelector('.player')?.getBoundingClientRect().bottom ?? 60;
}

export function isWordInView(frame: HTMLElement, model: TranscriptModel, word: number): boolean {
  const place = rangeOfWord(frame, model, word)?.getBoundingClientRect();
  return place !== undefined && place.top >= coveredHeight() && place.bottom <= window.innerHeight;
}
