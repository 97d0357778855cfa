// Sign-in with a demo key. The cookie names who is signed in.
import { readJson, sendError, sendJson } from './http.mjs';

const people = { 'ok-demo': 'operator', 'sk-demo': 'project', 'sk-read': 'reader', link: 'operator' };

export function sessionOf(request) {
  const person = /auris_session=(operator|project|reader)/.exec(request.headers.cookie ?? '')?.[1];
  if (!person) return null;
  const role = person === 'operator' ? 'operator' : 'project';
  const now = Math.floor(Date.now() / 1000);
  return {
    object: 'session',
    id: 'ses_0mwh2r8t4w1c6y8d3n5p',
    role,
    project: role === 'project' ? 'default' : null,
    key_name: person,
    scopes: person === 'reader' ? ['read'] : ['read', 'write'],
    created_at: now,
    expires_at: now + 43200,
    server: { version: '0.1.0', max_upload_bytes: 99614720, max_sync_upload_bytes: 26214400, api_url: null },
  };
}

export async function answerSession(request, response) {
  if (request.method === 'DELETE') {
    return sendJson(response, 200, { deleted: true }, { 'Set-Cookie': 'auris_session=; Path=/; Max-Age=0' });
  }
  if (request.method === 'GET') {
    const session = sessionOf(request);
    return session ? sendJson(response, 200, session) : sendError(response, 401, 'missing_session', 'There is no session.');
  }
  const body = await readJson(request);
  const person = body.link ? people.link : people[body.key];
  if (!person) return sendError(response, 401, 'invalid_sign_in', 'The key is not valid. Check that it was copied completely.');
  const cookie = `auris_session=${person}; HttpOnly; SameSite=Strict; Path=/; Max-Age=43200`;
  return sendJson(response, 201, sessionOf({ headers: { cookie } }), { 'Set-Cookie': cookie });
}
