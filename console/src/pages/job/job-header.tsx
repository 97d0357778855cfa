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
import { showToast } from '../../components/toasts';
import { stepName } from '../../format/names';
import { formatDateTime, unbroken } from '../../format/time';
import { AnalyzeDialog } from './analyze-dialog';
import { JobFacts } from './job-facts';
import type { JobView } from './job-view';
import { RunAgain } from './run-again';

type OpenDialog = 'none' | 'analyze' | 'again' | 'cancel' | 'delete';

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
        title={file ? `${stepName(job.operation)} of ${file}` : `${stepName(job.operation)} from ${unbroken(created)}`}
        intro={file ? `Created on ${created}` : undefined}
      >
        {job.status === 'completed' && job.result_deleted_at === null && (
          <Button writes kind="primary" icon="plus" onClick={() => (dialog.value = 'analyze')}>
            Analyze
          </Button>
        )}
        {(job.status === 'failed' || job.status === 'cancelled') && (
          <RunAgain job={job} steps={store.steps.value} onAnalyze={() => (dialog.value = 'again')} />
        )}
        {isLive && (
          <Button writes kind="danger" disabled={job.status === 'cancelling'} onClick={() => (dialog.value = 'cancel')}>
            Cancel job
          </Button>
        )}
        {!isLive && job.result_deleted_at === null && (
          <Button writes kind="danger" icon="trash" onClick={() => (dialog.value = 'delete')}>
            Delete content
          </Button>
        )}
      </PageHeader>
      <JobFacts view={view} job={job} />
      {(dialog.value === 'analyze' || dialog.value === 'again') && (
        <AnalyzeDialog view={view} again={dialog.value === 'again'} onClose={close} />
      )}
      {dialog.value === 'cancel' && (
        <ConfirmDialog
          title="Cancel this job?"
          confirm="Cancel job"
          back="Back"
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
