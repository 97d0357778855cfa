// Reading requests and writing responses.

export function sendJson(response, status, body, headers = {}) {
  response.writeHead(status, { 'Content-Type': 'application/json', 'x-request-id': 'req_demo', ...headers });
  response.end(JSON.stringify(body));
}

const types = { 400: 'invalid_request_error', 401: 'authentication_error', 403: 'permission_error', 404: 'not_found_error' };

export function sendError(response, status, code, message, param = null) {
  sendJson(response, status, { error: { message, type: types[status] ?? 'api_error', param, code } });
}

export async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function readJson(request) {
  const body = await readBody(request);
  return body.length > 0 ? JSON.parse(body.toString('utf8')) : {};
}

export const list = (data) => ({ object: 'list', data });
