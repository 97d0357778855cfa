import assert from 'node:assert/strict';
import test from 'node:test';
import { load } from './load.mjs';

const { listJobs } = await load('api/job-search.ts');

function serve() {
  const requests = [];
  globalThis.fetch = async (url) => {
    requests.push(url);
    return Response.json({ object: 'list', data: [], has_more: false, last_id: null });
  };
  return requests;
}

const search = (changes) => listJobs({ project: 'my team', allProjects: false, filter: {}, after: null, ...changes });

test('a page of the list is one request, also with filters', async () => {
  const requests = serve();
  await search({});
  await search({ filter: { status: 'failed', created_after: 5 }, after: 'job_25' });
  const path = '/console/v1/projects/my%20team/filtered_jobs';
  assert.deepEqual(requests, [`${path}?limit=25`, `${path}?status=failed&created_after=5&limit=25&after=job_25`]);
});

test('the jobs of all projects have another path', async () => {
  const requests = serve();
  await search({ allProjects: true, filter: { operation: 'analysis' } });
  assert.deepEqual(requests, ['/operator/v1/jobs?operation=analysis&limit=25']);
});
