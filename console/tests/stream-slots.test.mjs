import assert from 'node:assert/strict';
import test from 'node:test';
import { load } from './load.mjs';

const { StreamSlots } = await load('api/stream-slots.ts');

// Requests a slot and records whether there is one.
function ask(slots, use) {
  const asked = { changes: [] };
  asked.free = slots.request(use, (hasSlot) => asked.changes.push(hasSlot));
  return asked;
}

const now = (...asked) => asked.map(({ changes }) => changes.at(-1));

test('only as many streams as there are slots are open', () => {
  const slots = new StreamSlots(3);
  const asked = Array.from({ length: 8 }, () => ask(slots, 'background'));
  assert.deepEqual(now(...asked), [true, true, true, false, false, false, false, false]);
  assert.equal(slots.waiting, 5);
});

test('a freed slot goes to the stream that has waited longest', () => {
  const slots = new StreamSlots(1);
  const [first, second, third] = [0, 1, 2].map(() => ask(slots, 'background'));
  first.free();
  assert.deepEqual(now(second, third), [true, false]);
  second.free();
  assert.deepEqual(now(third), [true]);
});

test('the stream of the page takes the slot of a file in the background, and gives it back', () => {
  const slots = new StreamSlots(2);
  const [first, second] = [ask(slots, 'background'), ask(slots, 'background')];
  const page = ask(slots, 'page');
  assert.deepEqual(now(first, second, page), [true, false, true]);
  const part = ask(slots, 'part');
  assert.deepEqual(now(first, second, page, part), [false, false, true, true]);
  page.free();
  part.free();
  assert.deepEqual(now(first, second), [true, true]);
});

test('a slot is taken before it is given', () => {
  const slots = new StreamSlots(1);
  const order = [];
  slots.request('background', (hasSlot) => order.push(['background', hasSlot]));
  slots.request('page', (hasSlot) => order.push(['page', hasSlot]));
  assert.deepEqual(order, [['background', true], ['background', false], ['page', true]]);
});

test('a stream that no longer waits gets no slot', () => {
  const slots = new StreamSlots(1);
  const [first, second] = [ask(slots, 'page'), ask(slots, 'page')];
  second.free();
  first.free();
  first.free();
  assert.deepEqual([first.changes, second.changes, slots.waiting], [[true], [false], 0]);
});

test('without slots all streams wait, and continue when there are some again', () => {
  const slots = new StreamSlots(3);
  const asked = ask(slots, 'page');
  slots.setLimit(0);
  slots.setLimit(3);
  assert.deepEqual(asked.changes, [true, false, true]);
});
