import assert from 'node:assert/strict';
import test from 'node:test';
import { load } from './load.mjs';

const { RowHeights } = await load('components/row-heights.ts');
const { VirtualRows } = await load('components/virtual-rows.ts');

globalThis.window = { innerHeight: 900 };

function rowsOf(count) {
  const heights = new RowHeights(() => 100);
  heights.resize(count);
  return { heights, rows: new VirtualRows(heights) };
}

test('the chosen rows cover the view until it has moved close to their end', () => {
  const { rows } = rowsOf(1000);
  const range = rows.near(50_000);
  for (const distance of [50_000, 50_400, 49_600]) assert.ok(rows.cover(range, distance), `${distance}`);
  for (const distance of [50_600, 49_400, 0]) assert.ok(!rows.cover(range, distance), `${distance}`);
});

test('the rows at the beginning and at the end cover the view there', () => {
  const { rows } = rowsOf(1000);
  assert.ok(rows.cover(rows.near(0), -200));
  assert.ok(rows.cover(rows.near(99_100), 99_100));
});

test('rows that are added at the end of a short list are not covered', () => {
  const { heights, rows } = rowsOf(5);
  const range = rows.near(0);
  assert.ok(rows.cover(range, 0));
  heights.resize(50);
  assert.ok(!rows.cover(range, 0));
});

test('rows that no longer exist cover nothing', () => {
  const { heights, rows } = rowsOf(1000);
  const range = rows.near(50_000);
  heights.resize(10);
  assert.ok(!rows.cover(range, 0));
});
