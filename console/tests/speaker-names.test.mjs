// Names of speakers are stored all together, so a page must not store some of them without knowing the others.
import assert from 'node:assert/strict';
import test from 'node:test';
import { load } from './load.mjs';

const { SpeakerNames } = await load('pages/job/speaker-names.ts');

// A server with the name of one speaker, which does not answer the first requests.
function serve(failures) {
  const server = { stored: { B: 'Ben' }, requests: [] };
  globalThis.fetch = async (_url, { method = 'GET', body } = {}) => {
    server.requests.push(method);
    if (failures-- > 0) return new Response('', { status: 503 });
    if (method === 'PUT') server.stored = JSON.parse(body).names;
    return Response.json({ object: 'speaker_names', names: server.stored });
  };
  return server;
}

test('the names are loaded once', async () => {
  const server = serve(0);
  const names = new SpeakerNames('default', 'job_1');
  await Promise.all([names.load(), names.load()]);
  await names.load();
  assert.equal(names.nameOf('B'), 'Ben');
  assert.deepEqual(server.requests, ['GET']);
});

test('names that could not be loaded are not lost when another speaker is renamed', async () => {
  const server = serve(1);
  const names = new SpeakerNames('default', 'job_1');
  await assert.rejects(names.load());
  await names.rename('A', 'Anna');
  assert.deepEqual(server.stored, { A: 'Anna', B: 'Ben' });
});

test('nothing is stored while the names cannot be loaded', async () => {
  const server = serve(2);
  const names = new SpeakerNames('default', 'job_1');
  await assert.rejects(names.load());
  await names.rename('A', 'Anna');
  assert.deepEqual(server.requests, ['GET', 'GET']);
  assert.equal(names.nameOf('A'), 'Speaker A');
});
