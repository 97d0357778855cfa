// How far a running job is, in audio time where it reads audio.
import type { Connection } from '../api/events';
import { isTerminal } from '../api/jobs';
import type { Job } from '../api/types';
import { stepName } from '../format/names';
import { formatPercent, plural } from '../format/numbers';
import { formatPosition } from '../format/time';
import { ProgressBar } from './progress-bar';

interface JobProgressProps {
  job: Job;
  connection?: Connection;
}

export function JobProgress({ job, connection }: JobProgressProps) {
  if (isTerminal(job.status)) return null;
  const share = job.status === 'queued' ? null : (job.progress?.percent ?? 0) / 100;
  const text = progressText(job);
  return (
    <div class="stack tight">
      <ProgressBar label="Progress of the job" share={share} text={text} />
      <p class="small soft row between">
        <span class="numeric">{text}</span>
        {connection === 'lost' && <span role="status">Connection lost, trying again…</span>}
      </p>
    </div>
  );
}

function progressText(job: Job): string {
  const progress = job.progress;
  if (job.status === 'cancelling') return 'Stopping the running steps';
  if (job.status === 'queued') {
    const ahead = progress?.queue_position ?? 0;
    return ahead > 0 ? `In the queue, ${plural(ahead, 'job')} ahead` : 'In the queue, next to start';
  }
  if (!progress) return 'Running';
  const steps = progress.current_steps.map(stepName).join(', ');
  const { audio_seconds_processed: done, audio_seconds_total: total } = progress;
  if (done !== null && total !== null && total > 0) {
    return `${steps ? `${steps}: ` : ''}${formatPosition(done)} of ${formatPosition(total)}`;
  }
  return `${steps || 'Running'}, ${formatPercent(progress.percent / 100)}`;
}
