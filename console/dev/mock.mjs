// A made-up server for developing pages: `node dev/mock.mjs [PORT]` serves dist/ and answers the API with sample data.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerConsole } from './mock/console.mjs';
import { answerOperator } from './mock/operator.mjs';
import { answerSession, sessionOf } from './mock/sessions.mjs';
import { sendError, sendJson } from './mock/http.mjs';

const dist = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist');
const port = Number(process.argv[2] ?? 8090);

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; " +
  "connect-src 'self'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

async function serveFile(response, path) {
  const listed = JSON.parse(await readFile(join(dist, 'files.json'), 'utf8'));
  const file = listed.find((entry) => entry.path === path) ?? listed.find((entry) => entry.path === '/index.html');
  const caching = file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache';
  response.writeHead(200, { 'Content-Type': file.contentType, 'Content-Security-Policy': policy, 'Cache-Control': caching });
  response.end(await readFile(join(dist, file.path)));
}

async function answer(request, response) {
  const url = new URL(request.url, 'http://localhost');
  const path = url.pathname;
  if (!/^\/(console|operator)\/v1\//.test(path)) return serveFile(response, path);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead && request.headers['x-auris-console'] !== '1') {
    return sendError(response, 403, 'missing_console_header', 'Send the header `X-Auris-Console: 1`.');
  }
  if (path === '/console/v1/session') return answerSession(request, response);
  const session = sessionOf(request);
  if (!session) return sendError(response, 401, 'missing_session', 'There is no session. Sign in first.');
  if (path === '/console/v1/projects') {
    return sendJson(response, 200, { object: 'list', data: [{ name: 'default' }, { name: 'support-calls' }, { name: 'research' }] });
  }
  if (path.startsWith('/operator/v1/')) return answerOperator(request, response, url, session);
  return answerConsole(request, response, url);
}

createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error);
    sendError(response, 500, 'internal_error', 'The made-up server failed; its log says why.');
  });
}).listen(port, () => console.log(`http://localhost:${port}/ (keys: ok-demo, sk-demo)`));
