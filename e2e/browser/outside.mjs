// The machines around the server, on this one: a mirror of model files, a model server that refuses, and a receiver of
// webhooks. Prints its addresses as one line of JSON and runs until its input ends. `outside.mjs CERTIFICATE KEY`.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { MARKUP } from './visitors/markup_text.mjs';

const [certificate, key] = process.argv.slice(2).map((path) => readFileSync(path));
const file = Buffer.alloc(3 << 20, 'auris');
const sha256 = createHash('sha256').update(file).digest('hex');

// The status of the next answers to webhooks; 204 once the list is empty.
let statuses = [];
const received = [];
// Milliseconds from one byte to the next before the release.
const BYTE_MS = 100;
let isReleased = false;
let release = () => undefined;
const released = new Promise((resolve) => (release = resolve));

const routes = {
  [`GET /mirror/${sha256}`]: sendSlowly,
  'POST /release': (_, response) => {
    isReleased = true;
    release();
    response.end();
  },
  'POST /statuses': async (request, response) => {
    statuses = JSON.parse(await bodyOf(request));
    response.end();
  },
  'GET /received': (_, response) => response.end(JSON.stringify(received)),
  'POST /model/chat/completions': async (request, response) => {
    await bodyOf(request);
    response.writeHead(400, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ error: { message: `Refused: ${MARKUP}` } }));
  },
};

const open = createServer((request, response) => {
  const route = routes[`${request.method} ${request.url}`];
  if (route) return void route(request, response);
  response.writeHead(404).end();
});
const receiver = createSecureServer({ cert: certificate, key }, async (request, response) => {
  received.push({ id: request.headers['webhook-id'], body: await bodyOf(request) });
  response.writeHead(statuses.shift() ?? 204).end(MARKUP);
});

await Promise.all([open, receiver].map((server) => new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))));
console.log(
  JSON.stringify({
    address: `http://127.0.0.1:${open.address().port}`,
    receiver: `https://127.0.0.1:${receiver.address().port}/hook`,
    model: { name: `Small ${MARKUP}`, sha256, bytes: file.length },
  }),
);
process.stdin.resume();
process.stdin.on('end', () => process.exit());

// The second half comes byte by byte until it is released, so that a page can show the progress in between. A download
// that was interrupted goes on where it ended.
async function sendSlowly(request, response) {
  let sent = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const range = sent > 0 ? { 'Content-Range': `bytes ${sent}-${file.length - 1}/${file.length}` } : {};
  response.writeHead(sent > 0 ? 206 : 200, { 'Content-Length': file.length - sent, ...range });
  const half = file.length / 2;
  if (sent < half) response.write(file.subarray(sent, half));
  sent = Math.max(sent, half);
  while (!isReleased && !response.destroyed) {
    response.write(file.subarray(sent, sent + 1));
    sent += 1;
    await Promise.race([released, new Promise((resolve) => setTimeout(resolve, BYTE_MS))]);
  }
  response.end(file.subarray(sent));
}

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}
