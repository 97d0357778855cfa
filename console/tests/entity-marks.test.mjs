// What of a word is marked as an entity.
import assert from 'node:assert/strict';
import test from 'node:test';
import { load } from './load.mjs';

const { punctuationAfter } = await load('pages/job/entity-marks.ts');

test('the punctuation after an entity is not marked', () => {
  assert.equal(punctuationAfter('Texas', 'Texas,'), ',');
  assert.equal(punctuationAfter('New Jersey', 'New Jersey.”…'), '…');
  assert.equal(punctuationAfter('Texas', 'Texas'), '');
});

test('punctuation that belongs to an entity is marked', () => {
  assert.equal(punctuationAfter('Acme Inc.', 'Acme Inc.'), '');
  assert.equal(punctuationAfter('Acme Inc.', 'Acme Inc.,'), ',');
  assert.equal(punctuationAfter('', '...'), '');
});
