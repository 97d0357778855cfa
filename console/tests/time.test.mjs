// How long ago something was, in the unit that a reader expects.
import assert from 'node:assert/strict';
import test from 'node:test';
import { load } from './load.mjs';

const { formatAge, formatDay } = await load('format/time.ts');
const NOW = 1_800_000_000;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ago = (seconds) => formatAge(NOW - seconds, NOW);

test('a count is never as large as the next unit', () => {
  assert.equal(ago(59.4), '59 seconds ago');
  assert.equal(ago(59.6), '1 minute ago');
  assert.equal(ago(59.4 * MINUTE), '59 minutes ago');
  assert.equal(ago(59.6 * MINUTE), '1 hour ago');
  assert.equal(ago(23.6 * HOUR), 'yesterday');
});

test('the future is counted in the same way', () => {
  assert.equal(formatAge(NOW + 12 * HOUR - 1, NOW), 'in 12 hours');
  assert.equal(formatAge(NOW + 30 * DAY - 1, NOW), 'in 30 days');
});

test('what was more than a month ago has a date', () => {
  assert.equal(ago(31 * DAY), formatDay(NOW - 31 * DAY));
});
