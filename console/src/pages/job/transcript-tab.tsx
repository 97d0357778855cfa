// The transcript with speakers, entities and chapters at the side.
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Chapter } from '../../api/types';
import { EmptyState } from '../../components/empty-state';
import { useMediaQuery } from '../../use-media-query';
import { ChapterList } from './chapter-list';
import { EntityLegend } from './entity-legend';
import type { JobView } from './job-view';
import { SpeakersPanel } from './speakers-panel';
import { TranscriptView } from './transcript-view';

interface TranscriptTabProps {
  view: JobView;
  onJump: (chapter: Chapter) => void;
}

export function TranscriptTab({ view, onJump }: TranscriptTabProps) {
  const { store, state, names } = view;
  const model = state.model.value;
  const document = store.document.value;
  const player = view.player.value;
  const hasSpeakers = model !== null && model.speakers.length > 0;
  // Only this tab shows names.
  useEffect(() => {
    if (hasSpeakers) view.loadSpeakerNames();
  }, [view, hasSpeakers]);
  if (!model || model.words.length === 0) return <NoText view={view} />;
  const hasSide = hasSpeakers || document.entities || document.chapters;
  return (
    <div class={hasSide ? 'transcript-layout' : undefined}>
      <TranscriptView
        model={model}
        state={state}
        document={document}
        player={player}
        names={names}
        version={store.isLive.value ? 'live' : hasSpeakers ? 'with speakers' : 'without speakers'}
        isArriving={store.isArriving.value}
      />
      {hasSide && (
        <SidePanels>
          <SpeakersPanel speakers={model.speakers} document={document} names={names} />
          {document.chapters && (
            <section class="side-panel">
              <h2>Chapters</h2>
              <ChapterList chapters={document.chapters.chapters} onJump={onJump} />
            </section>
          )}
          {document.entities && <EntityLegend state={state} />}
        </SidePanels>
      )}
    </div>
  );
}

// Beside the text on wide screens; above it, folded, on narrow ones.
function SidePanels({ children }: { children: ComponentChildren }) {
  const isWide = useMediaQuery('(min-width: 68.01rem)');
  if (isWide.value) {
    return (
      <aside class="transcript-side" aria-label="Contents of the transcript">
        {children}
      </aside>
    );
  }
  return (
    <details class="transcript-side">
      <summary>Speakers, chapters and entities</summary>
      {children}
    </details>
  );
}

function NoText({ view }: { view: JobView }) {
  const job = view.store.job.value;
  if (view.store.isLive.value) {
    return (
      <EmptyState icon="transcribe" title="The text appears here">
        As soon as the first words are recognized.
      </EmptyState>
    );
  }
  if (job?.result_deleted_at !== null) {
    return (
      <EmptyState icon="trash" title="The content was deleted">
        Status, usage and cost of the job remain. To get the text again, upload the recording again.
      </EmptyState>
    );
  }
  if (job?.operation === 'analysis' && job.status !== 'completed') {
    return (
      <EmptyState icon="transcribe" title="There is no result">
        The analysis ended before it was finished. The text that it analyzed is in the tab Files.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon="transcribe" title={job?.status === 'completed' ? 'No words were recognized' : 'There is no text'}>
      {job?.status === 'completed'
        ? 'The recording may be silent, or only music.'
        : 'The job ended before its text was finished.'}
    </EmptyState>
  );
}
