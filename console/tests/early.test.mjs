import assert from 'node:assert/strict';
import test from 'node:test';
import { load } from './load.mjs';

const { earlyJson, earlyResponses } = await load('api/early.ts');

// The next requests are answered by this function.
function answerWith(answer) {
  globalThis.fetch = async () => answer();
}

test('an early answer can be taken once', async () => {
  answerWith(() => Response.json({ id: 'job_1' }));
  assert.deepEqual(await earlyJson.request('/job'), { id: 'job_1' });
  assert.deepEqual(await earlyJson.take('/job'), { id: 'job_1' });
  assert.equal(await earlyJson.take('/job'), null);
});

test('an answer that is taken before it arrived is waited for', async () => {
  let arrive;
  globalThis.fetch = () => new Promise((resolve) => (arrive = resolve));
  void earlyResponses.request('/content');
  const taken = earlyResponses.take('/content');
  arrive(new Response('the text'));
  assert.equal(await (await taken).text(), 'the text');
});

test('what was not requested early is null', async () => {
  assert.equal(await earlyJson.take('/other'), null);
});

const failures = {
  'a refused request': () => Response.json({ error: {} }, { status: 401 }),
  'a lost connection': () => Promise.reject(new TypeError('Failed to fetch')),
  'an answer that is not JSON': () => new Response('<html>'),
};
for (const [name, answer] of Object.entries(failures)) {
  test(`${name} is null, so that the page requests it itself`, async () => {
    answerWith(answer);
    assert.equal(await earlyJson.request('/job'), null);
    assert.equal(await earlyJson.take('/job'), null);
  });
}
