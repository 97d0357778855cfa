// Speakers, chapters and entities: beside the text on wide screens; above it, folded, on narrow ones.
import type { Chapter } from '../../api/types';
import { ChapterList } from './chapter-list';
import { EntityLegend } from './entity-legend';
import type { JobView } from './job-view';
import { SpeakersPanel } from './speakers-panel';
import type { TranscriptModel } from './transcript-model';

interface SidePanelsProps {
  view: JobView;
  model: TranscriptModel;
  isWide: boolean;
  onJump: ((chapter: Chapter) => void) | null;
}

export function SidePanels({ view, model, isWide, onJump }: SidePanelsProps) {
  const document = view.store.document.value;
  const panels = (
    <>
      <SpeakersPanel speakers={model.speakers} document={document} names={view.names} />
      {document.chapters && (
        <section class="side-panel">
          <h2>Chapters</h2>
          <ChapterList chapters={document.chapters.chapters} onJump={onJump} />
        </section>
      )}
      {document.entities && <EntityLegend state={view.state} />}
    </>
  );
  if (isWide) {
    return (
      <aside class="transcript-side" aria-label="Contents of the transcript">
        {panels}
      </aside>
    );
  }
  const names = [
    model.speakers.length > 0 && 'speakers',
    document.chapters && 'chapters',
    document.entities && 'entities',
  ].filter((name) => typeof name === 'string');
  return (
    <details class="transcript-side">
      <summary>{sentenceList(names)}</summary>
      {panels}
    </details>
  );
}

// “Speakers”, “Speakers and chapters” or “Speakers, chapters and entities”.
function sentenceList(names: string[]): string {
  const last = names.at(-1) ?? '';
  const text = names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${last}` : last;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
