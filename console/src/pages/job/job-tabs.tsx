// The tabs of the job page. Only results that exist have one.
import { pushQuery, query } from '../../router';
import { Loading } from '../../components/loading';
import { Tabs, type Tab } from '../../components/tabs';
import { plural } from '../../format/numbers';
import { ChapterList } from './chapter-list';
import { DeveloperTab } from './developer-tab';
import { EntitiesTab } from './entities-tab';
import { FilesTab } from './files-tab';
import { FormattedTab } from './formatted-tab';
import type { JobView } from './job-view';
import { ScoreList } from './score-list';
import { SentimentTab } from './sentiment-tab';
import { StepsTab } from './steps-tab';
import { SummaryTab } from './summary-tab';
import { TasksTab } from './tasks-tab';
import { TranscriptTab } from './transcript-tab';

export function JobTabs({ view }: { view: JobView }) {
  const tabs = tabsOf(view);
  const wanted = query.value.get('tab') ?? 'transcript';
  const selected = tabs.some((tab) => tab.id === wanted) ? wanted : 'transcript';
  // The other tabs, and whether they exist, depend on the whole result.
  const isWaiting = wanted !== 'transcript' && view.store.isArriving.value;
  return (
    <Tabs
      label="Parts of the job"
      tabs={tabs}
      selected={selected}
      onSelect={(id) => pushQuery({ tab: id === 'transcript' ? null : id })}
    >
      {isWaiting ? <Loading /> : <TabContent view={view} tab={selected} />}
    </Tabs>
  );
}

function tabsOf({ store }: JobView): Tab[] {
  const document = store.document.value;
  const tasks = new Set([
    ...Object.keys(document.tasks ?? {}),
    ...Object.keys(store.allTaskText.value).map((key) => key.replace('tasks/', '')),
  ]);
  return [
    { id: 'transcript', label: 'Transcript' },
    ...(document.formatting ? [{ id: 'formatted', label: 'Paragraphs' }] : []),
    ...(document.summary ? [{ id: 'summary', label: 'Summary' }] : []),
    ...(document.chapters ? [{ id: 'chapters', label: 'Chapters', count: document.chapters.chapters.length }] : []),
    ...(document.entities ? [{ id: 'entities', label: 'Entities', count: document.entities.entities.length }] : []),
    ...(document.key_phrases
      ? [{ id: 'key_phrases', label: 'Key phrases', count: document.key_phrases.key_phrases.length }]
      : []),
    ...(document.sentiment ? [{ id: 'sentiment', label: 'Sentiment' }] : []),
    ...(document.topics ? [{ id: 'topics', label: 'Topics', count: document.topics.topics.length }] : []),
    ...(tasks.size > 0 ? [{ id: 'tasks', label: 'Tasks', count: tasks.size }] : []),
    { id: 'steps', label: 'Steps' },
    { id: 'files', label: 'Files' },
    { id: 'developer', label: 'Raw' },
  ];
}

function TabContent({ view, tab }: { view: JobView; tab: string }) {
  const { store, state } = view;
  const document = store.document.value;
  const player = view.player.value;
  const playFrom = player && ((seconds: number) => player.playFrom(seconds));
  // Of a chapter or an entity.
  const seekStart = player && (({ start }: { start: number | null }) => start !== null && player.seek(start));
  // Their text is in the first tab.
  const readStart =
    seekStart &&
    ((place: { start: number | null }) => {
      seekStart(place);
      pushQuery({ tab: null });
    });
  switch (tab) {
    case 'formatted':
      return document.formatting ? <FormattedTab formatting={document.formatting} /> : null;
    case 'summary':
      return document.summary ? <SummaryTab summary={document.summary} /> : null;
    case 'chapters':
      return (
        <ChapterList chapters={document.chapters?.chapters ?? []} onJump={readStart} withSummaries />
      );
    case 'entities':
      return (
        <EntitiesTab
          entities={document.entities?.entities ?? []}
          types={state.marks.value?.types.map(({ type }) => type) ?? []}
          speakers={state.model.value?.speakers.length ?? 0}
          onJump={readStart}
        />
      );
    case 'key_phrases':
      return (
        <ScoreList
          title="Key phrase"
          entries={(document.key_phrases?.key_phrases ?? []).map(({ text, score, count }) => ({
            text,
            score,
            note: plural(count, 'time'),
          }))}
        />
      );
    case 'sentiment':
      return document.sentiment ? (
        <SentimentTab
          sentiment={document.sentiment}
          utteranceStarts={state.model.value?.utteranceStarts ?? []}
          onJump={playFrom}
        />
      ) : null;
    case 'topics':
      return (
        <ScoreList
          title="Topic"
          entries={(document.topics?.topics ?? []).map(({ label, score }) => ({ text: label, score }))}
        />
      );
    case 'tasks':
      return <TasksTab answers={document.tasks ?? {}} running={store.allTaskText.value} />;
    case 'steps':
      return <StepsTab store={store} />;
    case 'files':
      return <FilesTab store={store} />;
    case 'developer':
      return <DeveloperTab store={store} />;
    default:
      return <TranscriptTab view={view} onJump={seekStart} />;
  }
}
