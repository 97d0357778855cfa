// Colours one word of the transcript without changing the page: neither the text nor its layout is computed again.
import { rangeOfWord } from './word-places';
import type { TranscriptModel } from './transcript-model';

// Browsers of before 2025 may have none; they show no colour.
const registry = typeof CSS !== 'undefined' && 'highlights' in CSS ? CSS.highlights : null;

export class WordHighlight {
  private word = -1;
  private readonly highlight = registry ? new Highlight() : null;
  private readonly observer: MutationObserver;

  // The name is that of `::highlight(…)` in the stylesheet.
  constructor(
    private readonly name: string,
    private readonly frame: HTMLElement,
    private readonly model: TranscriptModel,
  ) {
    if (this.highlight) registry?.set(name, this.highlight);
    // Rows that scroll into the page have to get the colour, too.
    this.observer = new MutationObserver(() => this.mark());
  }

  // Colours this word, or none for -1.
  show(word: number): void {
    if (!this.highlight || word === this.word) return;
    if (word >= 0 && this.word < 0) this.observer.observe(this.frame, { childList: true, subtree: true });
    if (word < 0) this.observer.disconnect();
    this.word = word;
    this.mark();
  }

  close(): void {
    this.observer.disconnect();
    if (registry?.get(this.name) === this.highlight) registry?.delete(this.name);
  }

  private mark(): void {
    this.highlight?.clear();
    const range = this.word < 0 ? null : rangeOfWord(this.frame, this.model, this.word);
    if (range) this.highlight?.add(range);
  }
}
