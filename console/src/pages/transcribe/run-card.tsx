// One started file: upload, progress in audio time, and the text while it is computed.
import { Button } from '../../components/button';
import { CopyButton } from '../../components/copy-button';
import { ErrorBox } from '../../components/error-box';
import { IconButton } from '../../components/icon-button';
import { JobProgress } from '../../components/job-progress';
import { Link } from '../../components/link';
import { LiveText } from '../../components/live-text';
import { ProgressBar } from '../../components/progress-bar';
import { StatusBadge } from '../../components/status-badge';
import { formatBytes, formatPercent } from '../../format/numbers';
import type { Run } from './run';
import { dismissRun, retryRun } from './runs';

export function RunCard({ run }: { run: Run }) {
  const job = run.job.value;
  const over = run.isOver.value;
  return (
    <article class="card run" aria-label={run.file.name}>
      <header class="run-header">
        <h2 class="cut" title={run.file.name}>
          {run.file.name}
        </h2>
        {job && !run.isUnfollowed.value && <StatusBadge status={job.status} />}
        {!job && <span class="soft small">{formatBytes(run.file.size)}</span>}
        <span class="space" />
        {run.segments.value.length > 0 && <CopyButton label="Copy text" text={() => textOf(run)} />}
        {job && (
          <Link to={`/jobs/${job.id}`} query={{ project: run.project }} class="button small primary">
            Open
          </Link>
        )}
        {!over && (
          <Button writes size="small" kind="danger" onClick={() => void run.cancel()}>
            Cancel
          </Button>
        )}
        {(over || run.isUnfollowed.value) && (
          <IconButton icon="close" label={`Remove ${run.file.name} from this page`} onClick={() => dismissRun(run)} />
        )}
      </header>
      {run.error.value && (
        <ErrorBox error={run.error.value} title="The file was not transcribed." onRetry={() => retryRun(run)} />
      )}
      {run.notice.value && (
        <ErrorBox {...run.notice.value} {...(run.isUnfollowed.value ? { onRetry: () => run.followAgain() } : {})} />
      )}
      {run.stopped.value && <p class="soft small">The upload was cancelled.</p>}
      {!job && !over && <UploadProgress run={run} />}
      {job && !run.isUnfollowed.value && <JobProgress job={job} connection={run.connection.value} />}
      {run.segments.value.length > 0 && <LiveText segments={run.segments.value} />}
    </article>
  );
}

function UploadProgress({ run }: { run: Run }) {
  const sent = run.sent.value;
  const text =
    sent === 0 ? 'Waiting to be uploaded' : sent < 1 ? `Uploading, ${formatPercent(sent)}` : 'Checking the file';
  return (
    <div class="stack tight">
      <ProgressBar label={`Upload of ${run.file.name}`} share={sent > 0 && sent < 1 ? sent : null} text={text} />
      <p class="soft small">{text}</p>
    </div>
  );
}

const textOf = (run: Run): string => run.segments.value.map((segment) => segment.text.trim()).join(' ');
