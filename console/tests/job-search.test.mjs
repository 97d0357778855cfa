import assert from 'node:assert/strict';
import test from 'node:test';
import { load } from './load.mjs';

const { JOBS_PER_SCAN, listJobs } = await load('api/job-search.ts');

// A project with this many jobs, newest first. Job n was created n seconds before the newest one.
function serve(count, failed = []) {
  const requests = [];
  globalThis.fetch = async (url) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    requests.push({ path: pathname, project: searchParams.get('project') });
    const first = Number(searchParams.get('after') ?? -1) + 1;
    const end = Math.min(count, first + Number(searchParams.get('limit')));
    const data = [];
    for (let id = first; id < end; id++) data.push(jobOf(id, failed));
    return Response.json({ object: 'list', data, has_more: end < count, last_id: data.at(-1)?.id ?? null });
  };
  return requests;
}

const jobOf = (id, failed) => ({
  id: String(id),
  status: failed.includes(id) ? 'failed' : 'completed',
  operation: 'transcription',
  created_at: 100_000 - id,
});

const search = (changes) =>
  listJobs({ project: 'default', isOperator: false, allProjects: false, filter: {}, after: null, ...changes });

test('a filter that matches none of the jobs it searched reports that there are more', async () => {
  serve(JOBS_PER_SCAN + 500, [JOBS_PER_SCAN + 100]);
  const first = await search({ filter: { status: 'failed' } });
  assert.deepEqual([first.data, first.has_more], [[], true]);
  const second = await search({ filter: { status: 'failed' }, after: first.last_id });
  assert.deepEqual([second.data.map((job) => job.id), second.has_more], [[String(JOBS_PER_SCAN + 100)], false]);
});

test('a filter that matches none of all jobs reports that there are no more', async () => {
  serve(300);
  const page = await search({ filter: { status: 'failed' } });
  assert.deepEqual([page.data, page.has_more], [[], false]);
});

test('jobs that are too old are not searched', async () => {
  const requests = serve(5000);
  const page = await search({ filter: { created_after: 99_990, status: 'failed' } });
  assert.deepEqual([page.data, page.has_more, requests.length], [[], false, 1]);
});

test('the jobs of a project user carry the project', async () => {
  serve(3);
  for (const filter of [{}, { status: 'completed' }]) {
    const { data } = await search({ filter });
    assert.deepEqual(data.map((job) => job.project), ['default', 'default', 'default']);
  }
});

test('an operator searches one project or all of them', async () => {
  const requests = serve(3);
  await search({ isOperator: true });
  await search({ isOperator: true, allProjects: true });
  const path = '/operator/v1/jobs';
  assert.deepEqual(requests, [{ path, project: 'default' }, { path, project: null }]);
});
