// The transcript with speakers, entities and chapters at the side.
import { useEffect } from 'preact/hooks';
import type { Chapter } from '../../api/types';
import { EmptyState } from '../../components/empty-state';
import { useMediaQuery } from '../../use-media-query';
import type { JobView } from './job-view';
import { SidePanels } from './side-panels';
import { TranscriptView } from './transcript-view';

interface TranscriptTabProps {
  view: JobView;
  // Null without a recording.
  onJump: ((chapter: Chapter) => void) | null;
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
  const isWide = useMediaQuery('(min-width: 68.01rem)');
  if (!model || model.words.length === 0) return <NoText view={view} />;
  const hasSide = hasSpeakers || document.entities || document.chapters;
  const side = hasSide && <SidePanels key="side" view={view} model={model} isWide={isWide.value} onJump={onJump} />;
  // On a narrow screen, the panels are above the text, also for the keyboard and for screen readers.
  return (
    <div class={hasSide ? (isWide.value ? 'transcript-layout' : 'stack') : undefined}>
      {!isWide.value && side}
      <TranscriptView
        key="text"
        model={model}
        state={state}
        document={document}
        player={player}
        names={names}
        version={store.isLive.value ? 'live' : hasSpeakers ? 'with speakers' : 'without speakers'}
        isArriving={store.isArriving.value}
      />
      {isWide.value && side}
    </div>
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
