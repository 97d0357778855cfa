// Search inside the transcript, over word borders and without regard to case.
import { lastAtMost, type TranscriptModel } from './transcript-model';

export interface Match {
  firstWord: number;
  endWord: number;
}

// Matches kept; more than these nobody steps through.
const MAX_MATCHES = 2000;

export class TextSearch {
  private readonly text: string;
  private readonly offsets: Int32Array;

  constructor(model: TranscriptModel) {
    this.offsets = new Int32Array(model.words.length);
    let length = 0;
    const parts: string[] = [];
    model.words.forEach((word, index) => {
      const lower = word.toLowerCase();
      const space = index > 0 && model.spaces[index] === 1 ? ' ' : '';
      this.offsets[index] = length + space.length;
      length += space.length + lower.length;
      parts.push(space + lower);
    });
    this.text = parts.join('');
  }

  find(query: string): Match[] {
    const wanted = query.trim().toLowerCase().replace(/\s+/g, ' ');
    const matches: Match[] = [];
    if (wanted.length < 2) return matches;
    for (
      let at = this.text.indexOf(wanted);
      at >= 0 && matches.length < MAX_MATCHES;
      at = this.text.indexOf(wanted, at + wanted.length)
    ) {
      const firstWord = lastAtMost(this.offsets, at);
      const endWord = lastAtMost(this.offsets, at + wanted.length - 1) + 1;
      matches.push({ firstWord, endWord });
    }
    return matches;
  }
}
