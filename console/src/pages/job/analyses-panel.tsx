// The analyses of this recording and their state. Their results are part of this page.
import { JobProgress } from '../../components/job-progress';
import { Link } from '../../components/link';
import { LiteralText } from '../../components/literal-text';
import { Notice } from '../../components/notice';
import { StatusBadge } from '../../components/status-badge';
import type { JobStore } from './job-store';
import { OlderAnalyses } from './older-analyses';

export function AnalysesPanel({ store }: { store: JobStore }) {
  const waiting = store.analyses.value.filter((entry) => entry.status === 'waiting').length;
  const failed = store.analyses.value.filter((entry) => entry.status === 'failed');
  return (
    <>
      {waiting > 0 && <Notice>An analysis starts when the transcription is completed.</Notice>}
      {failed.map((entry, index) => (
        <Notice key={index} kind="bad">
          An analysis could not be started: <LiteralText text={entry.error ?? 'No reason was given.'} /> Start it again
          with “Analyze”.
        </Notice>
      ))}
      {store.analysisStores.value.map((analysis) => (
        <AnalysisState key={analysis.jobId} analysis={analysis} />
      ))}
      <OlderAnalyses ids={store.olderAnalyses.value} shown={store.analysisStores.value.length} />
    </>
  );
}

function AnalysisState({ analysis }: { analysis: JobStore }) {
  const job = analysis.job.value;
  if (!job || job.status === 'completed') return null;
  return (
    <div class="card analysis">
      <div class="row">
        <strong>Analysis</strong>
        <StatusBadge status={job.status} />
        <span class="space" />
        <Link to={`/jobs/${job.id}`}>Open this analysis</Link>
      </div>
      {job.error && (
        <p class="small">
          <LiteralText text={job.error.message} />
        </p>
      )}
      <JobProgress job={job} connection={analysis.connection.value} />
    </div>
  );
}
