// Cancels several jobs, a few at a time, and counts what worked.
import { cancelJob } from '../../api/jobs';

// Requests at the same time, so that a large selection does not use up the rate limit at once.
const AT_ONCE = 4;

export async function cancelJobs(project: string, jobIds: string[]): Promise<{ cancelled: number; failed: number }> {
  const waiting = [...jobIds];
  const counts = { cancelled: 0, failed: 0 };
  const work = async () => {
    for (let jobId = waiting.shift(); jobId !== undefined; jobId = waiting.shift()) {
      try {
        await cancelJob(project, jobId);
        counts.cancelled += 1;
      } catch {
        counts.failed += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return counts;
}
