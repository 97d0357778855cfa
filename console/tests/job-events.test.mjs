import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { load } from './load.mjs';

const { followJob } = await load('api/job-events.ts');

const POLL_MS = 3000;

const jobOf = (id, status) => ({ id, object: 'job', status, progress: null, result: null, metadata: {} });

// A server whose streams stay open until the test ends them. Jobs that are read have the status of `statuses`.
class TestServer {
  statuses = {};
  streams = new Map();
  lastIds = [];
  reads = [];

  constructor() {
    globalThis.fetch = (url, { signal, headers }) => this.#answer(url.split('/'), headers, signal);
  }

  send(id, type, sequence, data = jobOf(id, type.slice(4))) {
    const event = { object: 'job.event', type, sequence, job_id: id, data };
    const text = `id: ${sequence}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
    this.streams.get(id).enqueue(new TextEncoder().encode(text));
  }

  async #answer(path, headers, signal) {
    const isStream = path.at(-1) === 'events';
    const id = isStream ? path.at(-2) : path.at(-1);
    if (isStream) return this.#stream(id, headers, signal);
    this.reads.push(id);
    return Response.json(jobOf(id, this.statuses[id] ?? 'in_progress'));
  }

  #stream(id, headers, signal) {
    this.lastIds.push(headers.get('Last-Event-ID'));
    const body = new ReadableStream({ start: (controller) => void this.streams.set(id, controller) });
    signal.addEventListener('abort', () => {
      this.streams.get(id)?.error(signal.reason);
      this.streams.delete(id);
    });
    return new Response(body);
  }
}

// Follows a job and records what is received.
function follow(id, use = 'background') {
  const received = { events: [], jobs: [], connections: [] };
  received.stop = followJob('default', id, use, {
    onEvent: (event) => received.events.push(event.sequence),
    onJob: (job) => received.jobs.push(job.status),
    onConnection: (connection) => received.connections.push(connection),
    onError: (error) => assert.fail(error),
  });
  return received;
}

// Lets all answers that are under way arrive. Streams need several turns.
async function settle() {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}

async function passTime(context, milliseconds) {
  context.mock.timers.tick(milliseconds);
  await settle();
}

test('eight jobs have three streams, the others are read, and all of them end', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const server = new TestServer();
  const ids = Array.from({ length: 8 }, (_, index) => `job_${index}`);
  const jobs = ids.map((id) => follow(id));
  await settle();
  assert.deepEqual([...server.streams.keys()], ids.slice(0, 3));
  await passTime(context, POLL_MS);
  assert.deepEqual(server.reads, ids.slice(3));
  assert.deepEqual(jobs.map((job) => job.jobs.at(-1)), [...Array(3), ...Array(5).fill('in_progress')]);
  server.send('job_0', 'job.completed', 1);
  await settle();
  assert.deepEqual([...server.streams.keys()], ['job_1', 'job_2', 'job_3']);
  for (const id of ids.slice(4)) server.statuses[id] = 'completed';
  await passTime(context, POLL_MS);
  for (const id of ids.slice(1, 4)) server.send(id, 'job.completed', 1);
  await settle();
  assert.deepEqual(jobs.map((job) => job.connections.at(-1)), Array(8).fill('ended'));
  assert.equal(server.streams.size, 0);
});

test('a stream that lost its slot continues after its last event', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const server = new TestServer();
  const first = follow('job_1');
  await settle();
  server.send('job_1', 'job.queued', 1);
  server.send('job_1', 'job.in_progress', 2);
  await settle();
  const others = ['job_2', 'job_3', 'job_4'].map((id) => follow(id, 'page'));
  await passTime(context, POLL_MS);
  assert.equal(server.streams.has('job_1'), false);
  assert.deepEqual(first.jobs, ['in_progress']);
  others.forEach((other) => other.stop());
  await settle();
  server.send('job_1', 'job.completed', 3);
  await settle();
  assert.deepEqual(first.events, [1, 2, 3]);
  assert.deepEqual(server.lastIds, [null, null, null, null, '2']);
});

test('a stopped job neither keeps its slot nor is read again', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const server = new TestServer();
  const jobs = Array.from({ length: 5 }, (_, index) => follow(`job_${index}`));
  await settle();
  jobs[4].stop();
  jobs[0].stop();
  await passTime(context, POLL_MS);
  assert.deepEqual([...server.streams.keys()], ['job_1', 'job_2', 'job_3']);
  assert.deepEqual(server.reads, []);
  jobs.forEach((job) => job.stop());
});
