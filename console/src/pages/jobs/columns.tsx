// The columns of the jobs list.
import { fileName } from '../../api/file-name';
import { isTerminal } from '../../api/jobs';
import type { ListedJob } from '../../api/types';
import { Link } from '../../components/link';
import { ProgressBar } from '../../components/progress-bar';
import { StatusBadge } from '../../components/status-badge';
import type { Column } from '../../components/table';
import { Time } from '../../components/time';
import { stepName } from '../../format/names';
import { formatUsd } from '../../format/numbers';
import { formatDuration, formatPosition } from '../../format/time';

export function jobColumns(selection: Column<ListedJob> | null, withProject: boolean): Column<ListedJob>[] {
  return [
    ...(selection ? [selection] : []),
    {
      id: 'job',
      title: 'Job',
      cell: (job) => (
        <Link to={`/jobs/${job.id}`} query={{ project: job.project }} class="job-link">
          <strong>{fileName(job) || stepName(job.operation)}</strong>
          <span>
            {fileName(job) && `${stepName(job.operation)} `}
            <code>{job.id}</code>
          </span>
        </Link>
      ),
    },
    ...(withProject ? [{ id: 'project', title: 'Project', cell: (job: ListedJob) => job.project }] : []),
    { id: 'status', title: 'Status', cell: (job) => <JobState job={job} /> },
    { id: 'created', title: 'Created', cell: (job) => <Time seconds={job.created_at} /> },
    { id: 'audio', title: 'Audio', number: true, cell: (job) => <AudioLength job={job} /> },
    { id: 'took', title: 'Took', number: true, cell: (job) => timeTaken(job) },
    { id: 'cost', title: 'Cost', number: true, cell: (job) => <Cost job={job} /> },
  ];
}

function JobState({ job }: { job: ListedJob }) {
  const share = (job.progress?.percent ?? 0) / 100;
  return (
    <span class="job-state">
      <StatusBadge status={job.status} />
      {!isTerminal(job.status) && <ProgressBar label={`Progress of ${job.id}`} share={share} />}
      {job.result_deleted_at !== null && <span class="chip">Content deleted</span>}
    </span>
  );
}

function AudioLength({ job }: { job: ListedJob }) {
  const seconds = job.usage?.audio_seconds || job.progress?.audio_seconds_total || 0;
  return seconds > 0 ? <>{formatPosition(seconds)}</> : <None />;
}

function Cost({ job }: { job: ListedJob }) {
  return job.usage ? <>{formatUsd(job.usage.cost_usd)}</> : <None />;
}

// Left out where each job is a card.
const None = () => <span class="none">–</span>;

function timeTaken(job: ListedJob): string {
  if (job.started_at === null) return '–';
  return formatDuration((job.completed_at ?? Math.floor(Date.now() / 1000)) - job.started_at);
}
