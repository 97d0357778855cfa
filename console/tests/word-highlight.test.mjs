import assert from 'node:assert/strict';
import test from 'node:test';
import { load } from './load.mjs';

globalThis.MutationObserver = class {
  observe() {
    assert.fail('the page is observed for nothing');
  }
  disconnect() {}
};
const { WordHighlight } = await load('pages/job/word-highlight.ts');

test('a browser without highlights shows no color', () => {
  const highlight = new WordHighlight('playing-word', null, null);
  highlight.show(3);
  highlight.show(-1);
  highlight.close();
});
