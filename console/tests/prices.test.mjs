// The prices of a model are written once, and say for what if they differ.
import assert from 'node:assert/strict';
import test from 'node:test';
import { load } from './load.mjs';

const { priceTexts } = await load('pages/models/describe.ts');
// The amounts depend on the reader's locale; what follows them does not.
const unitsOf = (capabilities) => priceTexts(capabilities).map((text) => text.slice(text.indexOf('per ')));
const price = (capability, native_unit, price_per_unit_usd) => ({ capability, native_unit, price_per_unit_usd });

test('a price that several capabilities share is one text', () => {
  const texts = unitsOf([price('summary', 'character', '0.000001'), price('topics', 'character', '0.000001')]);
  assert.deepEqual(texts, ['per million characters']);
});

test('different prices of the same unit say for what they are', () => {
  const texts = unitsOf([
    price('summary', 'character', '0.000001'),
    price('topics', 'character', '0.000002'),
    price('chapters', 'character', '0.000002'),
    price('task', 'input_token', '0.000003'),
    price('sentiment', 'character', '0'),
  ]);
  assert.deepEqual(texts, [
    'per million characters (Summary)',
    'per million characters (Topics, Chapters)',
    'per million input tokens',
  ]);
});
