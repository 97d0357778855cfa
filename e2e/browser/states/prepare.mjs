// Brings about the states: endpoints that accept and refuse, deliveries, and jobs that failed or are still running.
import { LONG_MS, base, eventually, expect, setting } from '../browser.mjs';
import { analyse, analysedRecording, call, finished, transcribe } from '../api.mjs';
import { control } from '../outside/control.mjs';

// Longer than any test.
const ENDLESS = 'fake:delay=3600000';
// A project without jobs.
const EMPTY = 'archive';

export async function prepare(page) {
  await createInProject(page, '/webhook_endpoints', { url: setting('AURIS_RECEIVER') });
  await createInProject(page, '/webhook_endpoints', { url: 'https://receiver.example.invalid/hooks/auris' });
  await signInElsewhere(page);
  await request(page, 'POST', '/operator/v1/projects', { name: EMPTY });
  // The mirror holds back the second half of its file.
  await request(page, 'POST', '/operator/v1/models/small/pull');
  await control('POST', '/statuses', [204, ...Array(50).fill(500)]);
  const analysed = await analysedRecording({}, { summary: {}, chapters: {}, diarization: {} });
  const failed = await failedJob();
  const running = await transcribe({ prompt: ENDLESS });
  const analysing = await analysingJob();
  return { analysed, failed, running, analysing, delivery: await attemptedDelivery(page), empty: EMPTY };
}

const request = (page, method, path, data) =>
  page.context().request.fetch(base + path, {
    method,
    headers: { 'X-Auris-Console': '1', 'Idempotency-Key': crypto.randomUUID() },
    data,
    failOnStatusCode: true,
  });

const createInProject = (page, path, data) => request(page, 'POST', `/console/v1/projects/default${path}`, data);

// Another operator, with a key.
async function signInElsewhere(page) {
  const { key } = await (await request(page, 'POST', '/operator/v1/keys', { name: 'night shift' })).json();
  const headers = { 'X-Auris-Console': '1', 'Content-Type': 'application/json' };
  const body = JSON.stringify({ key });
  const signedIn = await fetch(`${base}/console/v1/session`, { method: 'POST', headers, body });
  expect(signedIn.status === 201, `the sign-in with a key failed: ${await signedIn.text()}`);
}

async function failedJob() {
  const tasks = [{ id: 'promises', model: 'fake-text', instructions: 'List the promises. fake:fail' }];
  const processing = { failure_policy: 'fail_fast', tasks };
  const job = await analyse({ transcript: { text: 'I will call you.' }, processing });
  await eventually('the failure', async () => (await call('GET', `/v1/jobs/${job}`)).status === 'failed', LONG_MS);
  return job;
}

// A recording whose transcription is done and whose analysis still runs.
async function analysingJob() {
  const job = await finished(await transcribe({}));
  const tasks = [{ id: 'promises', model: 'fake-text', instructions: `List the promises. ${ENDLESS}` }];
  await analyse({ job_id: job, processing: { summary: {}, tasks } });
  return job;
}

// The receiver accepted the first delivery and refuses all others; the other endpoint is not on any machine.
async function attemptedDelivery(page) {
  return eventually('deliveries with attempts', async () => {
    const answer = await request(page, 'GET', '/console/v1/projects/default/deliveries');
    const { data } = await answer.json();
    const withStatus = (wanted) => data.find(({ last_attempts: last }) => last.at(-1)?.status === wanted);
    return withStatus(204) && withStatus(null) && withStatus(500)?.id;
  });
}
