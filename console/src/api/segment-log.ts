// Collects the segments of a running transcription. They reach the page in groups, because thousands can arrive at once.
import { signal } from '@preact/signals';
import type { Segment } from './types';

const GROUP_MS = 200;

export class SegmentLog {
  readonly segments = signal<Segment[]>([]);
  private waiting: Segment[] = [];
  private timer: ReturnType<typeof setTimeout> | null = null;

  add(segment: Segment): void {
    this.waiting.push(segment);
    this.timer ??= setTimeout(() => this.flush(), GROUP_MS);
  }

  // For a text that was read as a whole.
  replace(segments: Segment[]): void {
    this.waiting = [];
    this.segments.value = segments;
  }

  private flush(): void {
    this.timer = null;
    this.segments.value = [...this.segments.value, ...this.waiting];
    this.waiting = [];
  }
}
