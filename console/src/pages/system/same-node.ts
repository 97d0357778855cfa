// Behind a balancer, each request may be answered by another node. The page describes one node, so it asks again until
// that one answers; after a few tries, it shows another one.
import type { Overview } from './records';

// Enough for a balancer that takes three nodes in turn.
const TRIES = 3;

export async function readSameNode(read: () => Promise<Overview>, shown: string | null): Promise<Overview> {
  let overview = await read();
  const isAlive = overview.nodes.some((node) => node.id === shown && node.alive);
  for (let tries = 1; isAlive && overview.node !== shown && tries < TRIES; tries += 1) overview = await read();
  return overview;
}
