import assert from 'node:assert/strict';
import test from 'node:test';
import { load } from './load.mjs';

const { JobStore } = await load('pages/job/job-store.ts');

globalThis.requestAnimationFrame = (draw) => setTimeout(draw);

const segments = Array.from({ length: 4000 }, (_, id) => ({ id, text: `word${id}`, words: [{ word: `word${id}` }] }));
const result = { transcript: { text: 'all words', segments }, topics: { topics: [] }, artifacts: [], errors: [] };
const job = {
  id: 'job_1',
  operation: 'analysis',
  status: 'completed',
  result: { artifacts: [], errors: [], overflow: { artifact_id: 'art_1' } },
};

// Answers all requests. The text arrives in two parts; the first download may break off between them.
function serve({ breaksOff = false } = {}) {
  const bytes = new TextEncoder().encode(JSON.stringify(result));
  const half = bytes.length / 2;
  let downloads = 0;
  const download = () => {
    downloads += 1;
    const isBroken = breaksOff && downloads === 1;
    const last = (controller) => {
      if (isBroken) return controller.error(new TypeError('network error'));
      controller.enqueue(bytes.slice(half));
      controller.close();
    };
    const parts = [(controller) => controller.enqueue(bytes.slice(0, half)), last];
    return new Response(new ReadableStream({ pull: (controller) => parts.shift()(controller) }));
  };
  globalThis.fetch = async (url) => {
    if (url.endsWith('/jobs/job_1')) return Response.json(job);
    return url.endsWith('/content') ? download() : Response.json({ data: [] });
  };
}

// The number of segments each time that the text changed.
function watch(store) {
  const counts = [];
  store.transcript.subscribe((transcript) => counts.push(transcript?.segments.length ?? 0));
  return counts;
}

test('the beginning of a long transcript is shown while the rest arrives', async () => {
  serve();
  const store = new JobStore('default', 'job_1');
  const counts = watch(store);
  const arriving = [];
  store.isArriving.subscribe((isArriving) => arriving.push(isArriving));
  await store.open();
  assert.equal(counts.length, 3);
  assert.ok(counts[1] > 500 && counts[1] < 2000, `${counts[1]} segments`);
  assert.deepEqual(arriving, [false, true, false]);
  assert.deepEqual(store.ownResult.value, result);
});

test('a text that breaks off stays, with an error, until it is loaded again', async () => {
  serve({ breaksOff: true });
  const store = new JobStore('default', 'job_1');
  const counts = watch(store);
  await store.open();
  assert.equal(store.error.value.code, 'connection_error');
  assert.equal(store.isArriving.value, false);
  await store.open();
  assert.equal(store.error.value, null);
  assert.deepEqual([counts[0], counts.length, counts[2]], [0, 3, segments.length]);
});

test('text that is already shown is not replaced by its beginning', async () => {
  serve();
  const store = new JobStore('default', 'job_1');
  await store.open();
  const counts = watch(store);
  await store.reload();
  assert.deepEqual(new Set(counts), new Set([segments.length]));
});

test('how often each step was started comes with the analyses, and again on request', async () => {
  let attempts = 1;
  const list = () => ({ data: [{ step_id: 'stp_1', attempts }] });
  globalThis.fetch = async (url) => {
    if (url.endsWith('/analysis_steps')) return Response.json({ steps: { data: [] }, attempts: list() });
    if (url.endsWith('/analyses')) return Response.json({ analyses: { data: [] }, attempts: list() });
    return Response.json({ ...job, operation: 'transcription', result: null, data: [] });
  };
  const store = new JobStore('default', 'job_1');
  await store.open();
  assert.deepEqual(store.attempts.value, { stp_1: 1 });
  attempts = 2;
  await store.loadAnalysisSteps();
  assert.deepEqual(store.attempts.value, { stp_1: 2 });
  store.close();
});

test('a page whose analyses cannot be read says so, and the other tabs are complete', async () => {
  globalThis.fetch = async (url) => {
    if (url.endsWith('/analyses')) return new Response('', { status: 503 });
    return Response.json({ ...job, operation: 'transcription', result: null, data: [] });
  };
  const store = new JobStore('default', 'job_1');
  await store.open();
  assert.equal(store.error.value?.status, 503);
  assert.ok(store.knowsAnalyses.value);
  store.close();
});

test('the files are asked for once when the page opens, and again when the job was read again', async () => {
  const done = { ...job, operation: 'transcription', result: null, data: [] };
  const data = [{ job_id: 'job_2', status: 'submitted', error: null, job: { ...job, id: 'job_2', result: null } }];
  globalThis.fetch = async (url) =>
    Response.json(url.endsWith('/analyses') ? { analyses: { data }, attempts: { data: [] } } : done);
  const store = new JobStore('default', 'job_1');
  assert.ok(!store.knowsAnalyses.value);
  await store.open();
  const reads = () => [store, ...store.analysisStores.value].map((one) => one.timesRead.value);
  assert.deepEqual(reads(), [1, 0]);
  await store.reload();
  assert.deepEqual(reads(), [2, 0]);
  store.close();
});

test('the analyses of a recording come with one answer, however many there are', async () => {
  const requests = [];
  const analysis = (id) => ({ ...job, id, result: { summary: { text: id }, artifacts: [], errors: [] } });
  const data = ['job_2', 'job_3', 'job_4'].map((id) => ({ job_id: id, status: 'submitted', error: null, job: analysis(id) }));
  data.unshift({ job_id: 'job_0', status: 'submitted', error: null, job: null });
  globalThis.fetch = async (url) => {
    requests.push(url.replace('/console/v1/projects/default/jobs/', ''));
    if (url.endsWith('/analyses')) return Response.json({ analyses: { data }, attempts: { data: [] } });
    const steps = ['job_2', 'job_3', 'job_4'].map((id) => ({ id: `step of ${id}`, job_id: id }));
    if (url.endsWith('/analysis_steps')) return Response.json({ steps: { data: steps }, attempts: { data: [] } });
    return Response.json({ ...job, operation: 'transcription', result: null, data: [] });
  };
  const store = new JobStore('default', 'job_1');
  await store.open();
  assert.deepEqual(requests, ['job_1', 'job_1/steps', 'job_1/analyses']);
  assert.deepEqual(store.analysisStores.value.map((one) => one.jobId), ['job_4', 'job_3', 'job_2']);
  assert.deepEqual(store.olderAnalyses.value, ['job_0']);
  assert.equal(store.document.value.summary.text, 'job_4');
  await store.loadAnalysisSteps();
  assert.deepEqual(store.allSteps.value.map((step) => step.id), ['step of job_2', 'step of job_3', 'step of job_4']);
  assert.equal(requests.length, 4);
  store.close();
});
