// When requests are sent.
import assert from 'node:assert/strict';
import test from 'node:test';
import { load } from './load.mjs';

const { requestJson } = await load('api/client.ts');

test('a request is sent by the call itself, not after the pages have started', async () => {
  const sent = [];
  globalThis.fetch = async (path) => {
    sent.push(path);
    return Response.json({ object: 'session' });
  };
  const answer = requestJson('/console/v1/session');
  assert.deepEqual(sent, ['/console/v1/session']);
  assert.deepEqual(await answer, { object: 'session' });
});
