// The marks of entities beside the colours of speakers.
import assert from 'node:assert/strict';
import test from 'node:test';
import { load } from './load.mjs';

const { entityLook } = await load('pages/job/entity-look.ts');

const looks = (types, speakers) => Array.from({ length: types }, (_, type) => entityLook(type, speakers));

test('types of entities have the colours that no speaker has', () => {
  assert.deepEqual(looks(3, 2), ['entity tone-3', 'entity tone-4', 'entity tone-5']);
});

test('a type that shares the colour of a speaker has another line', () => {
  assert.deepEqual(looks(8, 2).slice(6), ['entity tone-1 dashed', 'entity tone-2 dashed']);
  assert.ok(looks(8, 8).every((look) => look.endsWith('dashed')));
});
