// Marks the word that is being played, directly in the page: 60 changes a second must not draw the list again.
import { effect } from '@preact/signals';
import type { Player } from './player';
import { lastAtMost, paragraphOfWord, type TranscriptModel } from './transcript-model';

export class PlaybackHighlight {
  private word = -1;
  private paragraph = -1;
  private readonly stop: () => void;
  private readonly observer: MutationObserver;

  constructor(
    private readonly frame: HTMLElement,
    private readonly model: TranscriptModel,
    player: Player,
    private readonly onParagraph: (paragraph: number) => void,
  ) {
    this.stop = effect(() => this.show(player.time.value, player.playing.value));
    // Rows that scroll into the page have to get the mark, too.
    this.observer = new MutationObserver(() => this.mark());
    this.observer.observe(frame, { childList: true, subtree: true });
  }

  close(): void {
    this.stop();
    this.observer.disconnect();
    this.unmark();
  }

  private show(time: number, playing: boolean): void {
    const word = time > 0 ? lastAtMost(this.model.starts, time) : -1;
    if (word === this.word) return;
    this.word = word;
    this.mark();
    const paragraph = paragraphOfWord(this.model, word);
    if (paragraph === this.paragraph) return;
    this.paragraph = paragraph;
    if (playing && paragraph >= 0) this.onParagraph(paragraph);
  }

  private mark(): void {
    const element = this.word < 0 ? null : this.frame.querySelector(`span[data-word="${this.word}"]`);
    if (element?.hasAttribute('data-now')) return;
    this.unmark();
    element?.setAttribute('data-now', '');
  }

  private unmark(): void {
    for (const element of this.frame.querySelectorAll('[data-now]')) element.removeAttribute('data-now');
  }
}
