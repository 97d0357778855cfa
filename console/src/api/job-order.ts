// Which of two reports on a job is older. Events are replayed when a stream opens, and must not undo what is known.
import type { Job } from './types';

const statusOrder = ['queued', 'in_progress', 'cancelling', 'completed', 'failed', 'cancelled'];

export function isOlder(job: Job, known: Job): boolean {
  const difference = statusOrder.indexOf(job.status) - statusOrder.indexOf(known.status);
  if (difference !== 0) return difference < 0;
  return (job.progress?.percent ?? 0) < (known.progress?.percent ?? 0);
}
