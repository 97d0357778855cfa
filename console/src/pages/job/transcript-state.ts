// What the transcript view derives from the document: words, entity marks, search matches and names of speakers.
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { Result, Transcript } from '../../api/types';
import { markEntities } from './entity-marks';
import { TextSearch } from './text-search';
import { buildModel } from './transcript-model';

export class TranscriptState {
  readonly query = signal('');
  readonly currentMatch = signal(0);
  readonly showEntities = signal(true);
  readonly followPlayback = signal(true);
  // The number of the last jump in the recording whose text was brought into view.
  shownSeek = 0;

  readonly model;
  readonly marks;
  readonly matches;
  private readonly search;

  constructor(transcript: ReadonlySignal<Transcript | null>, document: ReadonlySignal<Result>) {
    const entities = computed(() => document.value.entities);
    this.model = computed(() => (transcript.value ? buildModel(transcript.value) : null));
    this.marks = computed(() => {
      const model = this.model.value;
      if (!model || !entities.value || !this.showEntities.value) return null;
      return markEntities(model, transcript.value?.text ?? '', entities.value.entities);
    });
    this.search = computed(() => (this.model.value ? new TextSearch(this.model.value) : null));
    this.matches = computed(() => (this.query.value ? (this.search.value?.find(this.query.value) ?? []) : []));
  }

  setQuery(query: string): void {
    this.query.value = query;
    this.currentMatch.value = 0;
  }

  moveMatch(step: number): void {
    const count = this.matches.value.length;
    if (count > 0) this.currentMatch.value = (this.currentMatch.value + step + count) % count;
  }
}
