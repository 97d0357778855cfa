// The head of the job page: what it is, its state and facts, and what can be done with it.
import { useSignal } from '@preact/signals';
import { fileName } from '../../api/file-name';
import { cancelJob, deleteContent } from '../../api/jobs';
import type { Job } from '../../api/types';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { Icon } from '../../components/icon';
import { Link } from '../../components/link';
import { PageHeader } from '../../components/page-header';
import { StatusBadge } from '../../components/status-badge';
import { showToast } from '../../components/toasts';
import { languageName, stepName } from '../../format/names';
import { formatUsd } from '../../format/numbers';
import { formatDateTime, formatDuration, formatPosition } from '../../format/time';
import { AnalyzeDialog } from './analyze-dialog';
import type { JobView } from './job-view';

type OpenDialog = 'none' | 'analyze' | 'cancel' | 'delete';

export function JobHeader({ view, job }: { view: JobView; job: Job }) {
  const dialog = useSignal<OpenDialog>('none');
  const close = () => (dialog.value = 'none');
  const { store, project } = view;
  const isLive = store.isLive.value;
  const file = fileName(job);
  const created = formatDateTime(job.created_at);
  return (
    <>
      <Link to="/jobs" class="back-link">
        <Icon name="back" /> Jobs
      </Link>
      <PageHeader
        title={`${stepName(job.operation)} of ${file || created}`}
        intro={file ? `Created on ${created}` : undefined}
      >
        {job.status === 'completed' && job.result_deleted_at === null && (
          <Button kind="primary" icon="plus" onClick={() => (dialog.value = 'analyze')}>
            Analyze
          </Button>
        )}
        {isLive && (
          <Button kind="danger" disabled={job.status === 'cancelling'} onClick={() => (dialog.value = 'cancel')}>
            Cancel job
          </Button>
        )}
        {!isLive && job.result_deleted_at === null && (
          <Button kind="danger" icon="trash" onClick={() => (dialog.value = 'delete')}>
            Delete content
          </Button>
        )}
      </PageHeader>
      <JobFacts view={view} job={job} />
      {dialog.value === 'analyze' && <AnalyzeDialog view={view} onClose={close} />}
      {dialog.value === 'cancel' && (
        <ConfirmDialog
          title="Cancel this job?"
          confirm="Cancel job"
          danger
          onClose={close}
          onConfirm={async () => {
            await cancelJob(project, job.id);
            await store.reload();
          }}
        >
          <p>Running steps stop within a few seconds. What is finished stays readable and is charged.</p>
        </ConfirmDialog>
      )}
      {dialog.value === 'delete' && (
        <ConfirmDialog
          title="Delete the content of this job?"
          confirm="Delete forever"
          danger
          onClose={close}
          onConfirm={async () => {
            await deleteContent(project, job.id);
            view.closeRecording();
            await store.reload();
            showToast('The content was deleted.');
          }}
        >
          <p>
            <strong>This cannot be undone.</strong> The server removes:
          </p>
          <ul class="bullets">
            <li>the recording</li>
            <li>the transcript, and the results of its steps</li>
            <li>all files for download, and the contents of its events</li>
          </ul>
          <p class="soft">
            Id, status, times, usage, cost and metadata, such as the file name, remain. Separate analysis jobs keep their results.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function JobFacts({ view, job }: { view: JobView; job: Job }) {
  const { store, picture } = view;
  const language = store.document.value.transcript?.language;
  const seconds = picture.value.duration || Number(store.document.value.transcript?.duration_seconds ?? 0);
  const model = store.steps.value.find((step) => step.key === 'transcription')?.resolved_model;
  const facts: [string, string][] = [];
  if (seconds > 0) facts.push(['Length', formatPosition(seconds)]);
  if (language) facts.push(['Language', languageName(language)]);
  if (model) facts.push(['Model', model]);
  if (job.started_at !== null && job.completed_at !== null)
    facts.push(['Took', formatDuration(job.completed_at - job.started_at)]);
  if (job.usage) facts.push(['Cost', formatUsd(job.usage.cost_usd)]);
  facts.push(
    job.result_deleted_at === null
      ? ['Kept until', formatDateTime(job.expires_at)]
      : ['Content deleted', formatDateTime(job.result_deleted_at)],
  );
  // The title has the file name.
  for (const [name, value] of Object.entries(job.metadata)) if (name !== 'file') facts.push([name, value]);
  return (
    <dl class="facts job-facts">
      <div>
        <dt>Status</dt>
        <dd>
          <StatusBadge status={job.status} />
        </dd>
      </div>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
