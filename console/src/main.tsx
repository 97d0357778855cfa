// Starts the console.
import { render } from 'preact';
import { isUntaken, requestEarly } from './api/early';
import { artifactContentPath, jobPath } from './api/jobs';
import type { Job } from './api/types';
import { App } from './app';
import { loadSession } from './session';
import { applyStoredTheme } from './theme';
import { query, route } from './router';
import './styles/index.css';

applyStoredTheme();
if (route.value.page !== 'sign-in') void loadSession();
void requestJobOfAddress();
const root = document.getElementById('app');
if (root) render(<App />, root);

// A job with a long transcript takes the longest, so it does not wait for the session. Its text may be a second file.
async function requestJobOfAddress(): Promise<void> {
  const { jobId } = route.value;
  const project = query.value.get('project') ?? '';
  const isName = /^[A-Za-z0-9._-]{1,64}$/.test(project);
  if (!jobId || !isName) return;
  const path = jobPath(project, jobId);
  const answer = await requestEarly(path);
  const job = (await answer?.json().catch(() => null)) as Job | null | undefined;
  const overflow = job?.result?.overflow?.artifact_id;
  // A page that has taken the job requests the rest itself.
  if (overflow && isUntaken(path)) void requestEarly(artifactContentPath(project, overflow));
}
