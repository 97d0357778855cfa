// Colours the word that is being played, and reports when another paragraph is reached.
import { effect } from '@preact/signals';
import type { Player } from './player';
import { lastAtMost, paragraphOfWord, type TranscriptModel } from './transcript-model';
import { WordHighlight } from './word-highlight';

export class PlaybackHighlight {
  private paragraph = -1;
  private readonly highlight: WordHighlight;
  private readonly stop: () => void;

  constructor(
    frame: HTMLElement,
    private readonly model: TranscriptModel,
    player: Player,
    private readonly onParagraph: (paragraph: number) => void,
  ) {
    this.highlight = new WordHighlight('playing-word', frame, model);
    this.stop = effect(() => this.show(player.time.value, player.playing.value));
  }

  close(): void {
    this.stop();
    this.highlight.close();
  }

  private show(time: number, playing: boolean): void {
    const word = time > 0 ? lastAtMost(this.model.starts, time) : -1;
    this.highlight.show(word);
    const paragraph = paragraphOfWord(this.model, word);
    if (paragraph === this.paragraph) return;
    this.paragraph = paragraph;
    if (playing && paragraph >= 0) this.onParagraph(paragraph);
  }
}
