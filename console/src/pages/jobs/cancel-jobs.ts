// Cancels several jobs, a few at a time, and counts what worked.
import { cancelJob } from '../../api/jobs';
import type { ListedJob } from '../../api/types';

// Requests at the same time, so that a large selection does not use up the rate limit at once.
const AT_ONCE = 4;

export async function cancelJobs(jobs: ListedJob[]): Promise<{ cancelled: number; failed: number }> {
  const waiting = [...jobs];
  const counts = { cancelled: 0, failed: 0 };
  const work = async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      try {
        await cancelJob(job.project, job.id);
        counts.cancelled += 1;
      } catch {
        counts.failed += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return counts;
}
