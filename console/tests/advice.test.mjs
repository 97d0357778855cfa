// What the reader can do about an error.
import assert from 'node:assert/strict';
import test from 'node:test';
import { load } from './load.mjs';

const { errorFromBody } = await load('api/error.ts');
const { adviceFor } = await load('api/advice.ts');

const advice = (status, body, headers) => adviceFor(errorFromBody(status, body, headers));
const withCode = (code) => JSON.stringify({ error: { message: 'It failed.', code } });

test('answers of a proxy have advice by their status', () => {
  assert.match(advice(413, '<h1>Request entity too large</h1>'), /client_max_body_size/);
  for (const status of [502, 503, 504]) assert.match(advice(status, ''), /cannot reach it\. Try again in a minute/);
  assert.equal(advice(418, ''), null);
});

test('the code of Auris goes before the status', () => {
  assert.match(advice(503, withCode('engine_overloaded')), /The server is busy/);
  assert.equal(advice(413, withCode('file_too_large')), null);
});

test('failures of the server and of the page itself have advice', () => {
  assert.match(advice(500, withCode('internal_error')), /request id/);
  assert.match(adviceFor({ code: 'console_error', retryAfterSeconds: null }), /Reload the page/);
});

test('the wait that the server asks for is part of the advice', () => {
  const headers = new Headers({ 'Retry-After': '7' });
  assert.match(advice(502, '', headers), /Try again in 7 seconds/);
});
