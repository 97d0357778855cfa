// Answers for the page Webhooks. Returns true if the path is one of its own.
import { list, readJson, sendError, sendJson } from './http.mjs';
import { deliveries, endpoints, newId, now } from './operator-data.mjs';

const SECRET = 'whsec_QXVyaXMgZXhhbXBsZSBzZWNyZXQsIG5vdCByZWFsISE=';

export async function answerWebhooks(request, response, url, rest) {
  if (rest === '/webhooks') return send(response, 200, list(url.pathname.includes('/research/') ? [] : endpoints));
  if (rest === '/webhook_endpoints' && request.method === 'POST') return create(response, await readJson(request));
  if (rest.startsWith('/webhook_endpoints/')) {
    endpoints.splice(endpoints.findIndex((entry) => rest.endsWith(entry.id)), 1);
    return send(response, 200, { deleted: true });
  }
  const [, kind, id, action] = rest.split('/');
  const endpoint = kind === 'webhooks' && endpoints.find((entry) => entry.id === id);
  if (endpoint) return act(response, endpoint, action);
  if (rest === '/deliveries') return send(response, 200, filtered(url));
  if (rest === '/deliveries/resend_failed') return send(response, 200, { resent: deliveries.filter((entry) => entry.status === 'failed').map(resend).length });
  const delivery = kind === 'deliveries' && deliveries.find((entry) => entry.id === id);
  if (!delivery) return false;
  return send(response, 200, action === 'resend' ? resend(delivery) : delivery);
}

function create(response, { url }) {
  if (!/^https:\/\/[^/]/.test(url)) {
    sendError(response, 400, 'invalid_webhook_url', `\`${url}\` is not supported for webhook URLs; use \`https\`.`, 'url');
    return true;
  }
  const endpoint = { id: newId('whk'), url, status: 'enabled', created_at: now(), failing_since: null, disabled_because: null, previous_secret_until: null };
  endpoints.push(endpoint);
  return send(response, 201, { id: endpoint.id, object: 'webhook_endpoint', url, status: 'enabled', created_at: now(), secret: SECRET });
}

function act(response, endpoint, action) {
  if (action === 'enable') return send(response, 200, Object.assign(endpoint, { status: 'enabled', failing_since: null, disabled_because: null }));
  if (action === 'rotate') {
    endpoint.previous_secret_until = now() + 86400;
    return send(response, 200, { secret: SECRET });
  }
  const success = endpoint.status === 'enabled' && endpoint.failing_since === null;
  const message = { url: endpoint.url, webhook_id: newId('evt'), body: '{"type":"webhook.test","timestamp":"2026-11-15T00:06:47Z","data":{}}', milliseconds: 48, error: null };
  return send(response, 200, { ...message, success, status: success ? 204 : 404, answer: success ? '' : '<h1>Not found</h1>' });
}

function filtered(url) {
  const wanted = (name, value) => !url.searchParams.get(name) || url.searchParams.get(name) === value;
  const all = deliveries.filter(
    (entry) => wanted('status', entry.status) && wanted('endpoint_id', entry.endpoint_id) && wanted('job_id', entry.job_id),
  );
  const start = all.findIndex((entry) => entry.id === url.searchParams.get('after')) + 1;
  const end = start + Number(url.searchParams.get('limit') ?? 20);
  return { ...list(all.slice(start, end)), has_more: end < all.length, last_id: all.slice(start, end).at(-1)?.id ?? null };
}

function resend(delivery) {
  return Object.assign(delivery, { status: 'pending', next_attempt_at: now() });
}

function send(response, status, body) {
  sendJson(response, status, body);
  return true;
}
