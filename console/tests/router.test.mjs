import assert from 'node:assert/strict';
import test from 'node:test';
import { load } from './load.mjs';

globalThis.location = { pathname: '/', search: '' };
globalThis.window = { addEventListener: () => undefined };
const { matchRoute } = await load('router.ts');

test('an address leads to its page', () => {
  assert.deepEqual(matchRoute('/'), { page: 'transcribe' });
  assert.deepEqual(matchRoute('/jobs/'), { page: 'jobs' });
  assert.deepEqual(matchRoute('/jobs/job_1'), { page: 'job', jobId: 'job_1' });
  assert.deepEqual(matchRoute('/jobs/job%201'), { page: 'job', jobId: 'job 1' });
});

test('an address that is not encoded correctly is not found', () => {
  for (const path of ['/jobs/%', '/jobs/%E0%A4%A', '/jobs/a%zz/']) {
    assert.deepEqual(matchRoute(path), { page: 'not-found' });
  }
});
