// Neighbouring labels of an axis differ, and have no digits that say nothing.
import assert from 'node:assert/strict';
import test from 'node:test';
import { load } from './load.mjs';

const { audioAxis, costAxis, countAxis } = await load('pages/usage/axis.ts');
const labels = (axis, step, count) => Array.from({ length: count }, (_, index) => axis.format(index * step, step));
// The currency and the separators depend on the reader's locale.
const digits = (text) => text.replace(/[^0-9.,]/g, '').replace(',', '.');

test('every step of an axis gives labels that differ', () => {
  for (const axis of [audioAxis, costAxis, countAxis]) {
    for (const step of axis.steps) assert.equal(new Set(labels(axis, step, 12)).size, 12, `step ${step}`);
  }
});

test('amounts have as many digits as their step needs', () => {
  assert.deepEqual(labels(costAxis, 0.005, 3).map(digits), ['0.000', '0.005', '0.010']);
  assert.deepEqual(labels(costAxis, 0.5, 3).map(digits), ['0.00', '0.50', '1.00']);
  assert.deepEqual(labels(costAxis, 20, 3).map(digits), ['0', '20', '40']);
});

test('audio is counted in the unit of the step', () => {
  assert.deepEqual(labels(audioAxis, 30, 4), ['0 s', '30 s', '60 s', '90 s']);
  assert.deepEqual(labels(audioAxis, 1800, 3), ['0 min', '30 min', '60 min']);
  assert.deepEqual(labels(audioAxis, 7200, 3), ['0 h', '2 h', '4 h']);
});
