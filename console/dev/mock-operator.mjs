// The made-up server with data for the operator's pages: `node dev/mock-operator.mjs [PORT]`. Other requests go to mock.mjs,
// which runs on the next port.
import { createServer, request as forward } from 'node:http';
import { answerPages } from './mock/operator-pages.mjs';
import { sendError } from './mock/http.mjs';
import { sessionOf } from './mock/sessions.mjs';

const port = Number(process.argv[2] ?? 8090);
process.argv[2] = String(port + 1);
await import('./mock.mjs');

async function answer(request, response) {
  const url = new URL(request.url, 'http://localhost');
  const session = sessionOf(request);
  if (session && (await answerPages(request, response, url, session))) return;
  const { method, headers, url: path } = request;
  const onward = forward({ port: port + 1, method, headers, path }, (reply) => {
    response.writeHead(reply.statusCode, reply.headers);
    reply.pipe(response);
  });
  onward.on('error', () => sendError(response, 503, 'backend_unavailable', 'The other made-up server does not answer.'));
  request.pipe(onward);
}

createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error);
    sendError(response, 500, 'internal_error', 'The made-up server failed; its log says why.');
  });
}).listen(port, () => console.log(`with operator data: http://localhost:${port}/`));
