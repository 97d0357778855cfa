import assert from 'node:assert/strict';
import test from 'node:test';
import { load } from './load.mjs';

const { currentCursor, newerPage, olderPage, readCursors, writeCursors } = await load('components/cursors.ts');

// The address after some steps through the list; each step reads what the last one wrote, as a reloaded page does.
function walk(...steps) {
  return steps.reduce((address, step) => writeCursors(step(readCursors(address))), '');
}

const older = (id) => (cursors) => olderPage(cursors, id);

test('the way back from the third page leads over the second one', () => {
  const third = walk(older('job_25'), older('job_50'));
  assert.equal(currentCursor(readCursors(third)), 'job_50');
  const second = walk(older('job_25'), older('job_50'), newerPage);
  assert.equal(currentCursor(readCursors(second)), 'job_25');
  assert.equal(walk(older('job_25'), older('job_50'), newerPage, newerPage), '');
});

test('the first page has no cursor', () => {
  for (const text of [null, '']) assert.equal(currentCursor(readCursors(text)), null);
  assert.deepEqual(newerPage([]), []);
});

test('a long way keeps the address short', () => {
  const steps = Array.from({ length: 300 }, (_, page) => older(`job_${String(page).padStart(20, '0')}`));
  const address = walk(...steps);
  assert.ok(address.length < 3000, `${address.length} characters`);
  assert.equal(currentCursor(readCursors(address)), 'job_00000000000000000299');
});
