import assert from 'node:assert/strict';
import test from 'node:test';
import { load } from './load.mjs';

const { onNode } = await load('pages/models/on-node.ts');

const node = { installed_models: ['whisper-small'], loaded_models: ['whisper-small'] };

test('a model is installed on a node that reports it, whatever the node that answered has', () => {
  const shown = onNode({ id: 'whisper-small', state: 'not installed', loaded: false, speed: null }, node);
  assert.equal(shown.state, 'installed');
  assert.equal(shown.loaded, true);
});

test('a model that only the answering node has is not installed there', () => {
  const shown = onNode({ id: 'whisper-base', state: 'installed', loaded: true, speed: { unit: 's' } }, node);
  assert.deepEqual(shown, { id: 'whisper-base', state: 'not installed', loaded: false, speed: null });
});

test('what needs no files is the same everywhere', () => {
  assert.equal(onNode({ id: 'auto', state: 'chooses' }, node).state, 'chooses');
});
