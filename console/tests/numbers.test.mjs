// Sizes are written in the units of disks and of the command line: 1 MB is a million bytes.
import assert from 'node:assert/strict';
import test from 'node:test';
import { load } from './load.mjs';

const { formatBytes } = await load('format/numbers.ts');
// The texts depend on the reader's locale, so they are compared with those of the same locale.
const text = (unit, value) =>
  new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 }).format(value);

test('units are powers of 1,000', () => {
  assert.equal(formatBytes(1_000), text('kilobyte', 1));
  assert.equal(formatBytes(1_000_000), text('megabyte', 1));
  assert.equal(formatBytes(26_214_400), text('megabyte', 26.2));
  assert.equal(formatBytes(1_500_000_000), text('gigabyte', 1.5));
  assert.equal(formatBytes(2_000_000_000_000), text('terabyte', 2));
  assert.equal(formatBytes(3e15), text('terabyte', 3_000));
});

test('below 1,000 bytes, bytes are counted', () => {
  const bytes = new Intl.NumberFormat(undefined, { style: 'unit', unit: 'byte', unitDisplay: 'long' });
  for (const count of [0, 1, 999]) assert.equal(formatBytes(count), bytes.format(count));
});
