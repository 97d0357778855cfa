// The requests that a visit begins with. `main.tsx` imports this file first, so they are sent before the pages start.
import { earlyJson, earlyResponses } from './api/early';
import { artifactContentPath, jobPath } from './api/jobs';
import type { Job } from './api/types';
import { query, route } from './router';
import { loadSession } from './session';

// The job is first: its text is what takes longest, and the answer to it must not wait behind the first page.
export const longText = requestJobOfAddress();
if (route.value.page !== 'sign-in') void loadSession();

// A job with a long transcript takes the longest, so it does not wait for the session. Its text may be a second file:
// returns whether it is, when it has been requested.
async function requestJobOfAddress(): Promise<boolean> {
  const { jobId } = route.value;
  const project = query.value.get('project') ?? '';
  const isName = /^[A-Za-z0-9._-]{1,64}$/.test(project);
  if (!jobId || !isName) return false;
  const job = (await earlyJson.request(jobPath(project, jobId))) as Job | null;
  const overflow = job?.result?.overflow?.artifact_id;
  if (overflow) void earlyResponses.request(artifactContentPath(project, overflow));
  return overflow !== undefined;
}
