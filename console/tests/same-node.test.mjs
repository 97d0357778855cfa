// The system page keeps to one node behind a balancer, as long as that node answers.
import assert from 'node:assert/strict';
import test from 'node:test';
import { load } from './load.mjs';

const { readSameNode } = await load('pages/system/same-node.ts');

// Answers by these nodes, one after the other.
function balancer(answering, alive = answering) {
  let requests = 0;
  const nodes = [...new Set(answering)].map((id) => ({ id, alive: alive.includes(id) }));
  const read = async () => ({ node: answering[requests++ % answering.length], nodes });
  return { read, count: () => requests };
}

test('the first answer decides which node is shown', async () => {
  const { read, count } = balancer(['one', 'two']);
  assert.equal((await readSameNode(read, null)).node, 'one');
  assert.equal(count(), 1);
});

test('another node is asked again', async () => {
  const { read, count } = balancer(['two', 'three', 'one']);
  assert.equal((await readSameNode(read, 'one')).node, 'one');
  assert.equal(count(), 3);
});

test('a node that is gone is not waited for', async () => {
  const { read, count } = balancer(['two', 'one'], ['two']);
  assert.equal((await readSameNode(read, 'one')).node, 'two');
  assert.equal(count(), 1);
});

test('after three answers of others, another node is shown', async () => {
  const { read, count } = balancer(['two', 'two', 'two', 'one']);
  assert.equal((await readSameNode(read, 'one')).node, 'two');
  assert.equal(count(), 3);
});
