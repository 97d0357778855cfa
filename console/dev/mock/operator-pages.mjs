// Answers for the pages Models, Webhooks, Usage, Projects and System. Each answer returns true if the path is one of its own.
import { list, readJson, sendError, sendJson } from './http.mjs';
import { cancelTask, startTask, streamTask } from './model-tasks.mjs';
import { keys, models, newId, now, operatorKeys, operatorSessions, overview, plans, projects, report, settings, tasks } from './operator-data.mjs';
import { usageCsv, usageReport } from './usage-data.mjs';
import { answerWebhooks } from './webhook-pages.mjs';

const SECRET = '4fVx9TqLm2Rz7KcBw1Ns8YhJd3PgUe6AXr5Qi0tWoMb2Cv7k';

export async function answerPages(request, response, url, session) {
  const found = /^\/(?:console|operator)\/v1\/projects\/([^/]+)(\/.*)?$/.exec(url.pathname);
  const name = found ? decodeURIComponent(found[1]) : null;
  if (found && (await answerWebhooks(request, response, url, found[2] ?? ''))) return true;
  if (found?.[2] === '/account') return answerAccount(response, url, name);
  if (url.pathname === '/console/v1/projects') return send(response, 200, list(projects.map((entry) => ({ name: entry.name }))));
  if (!url.pathname.startsWith('/operator/v1/') || session.role !== 'operator') return false;
  const path = url.pathname.replace('/operator/v1', '');
  if (found) return answerProject(request, response, name, found[2] ?? '');
  return (await answerModels(request, response, path)) || answerOperator(request, response, url, path);
}

async function answerOperator(request, response, url, path) {
  if (path === '/overview') return send(response, 200, overview());
  if (path === '/doctor') return send(response, 200, report);
  if (path === '/settings') return send(response, 200, { object: 'settings', data: settings });
  if (path === '/usage') return send(response, 200, usageReport(url.searchParams, url.searchParams.get('project')));
  if (path === '/usage.csv') {
    response.writeHead(200, { 'Content-Type': 'text/csv', 'Content-Disposition': 'attachment; filename="usage.csv"' });
    response.end(usageCsv(usageReport(url.searchParams, url.searchParams.get('project'))));
    return true;
  }
  if (path === '/projects') return answerProjects(request, response);
  if (path === '/keys' && request.method === 'POST') {
    const key = newKey(operatorKeys, 'opk', 'ok-', await readJson(request));
    return send(response, 201, { ...key, key: `ok-${SECRET}` });
  }
  if (path === '/keys') return send(response, 200, list(operatorKeys));
  if (path === '/sessions') return send(response, 200, list(operatorSessions));
  const session = operatorSessions.findIndex((entry) => path === `/sessions/${entry.id}`);
  if (session >= 0) return operatorSessions.splice(session, 1), send(response, 200, { deleted: true });
  const key = operatorKeys.find((entry) => path === `/keys/${entry.id}`);
  if (!key) return false;
  Object.assign(key, { state: 'revoked', revoked_at: now() });
  return send(response, 200, { deleted: true });
}

async function answerModels(request, response, path) {
  if (path === '/models') return send(response, 200, list(models));
  if (path === '/model_tasks') return send(response, 200, list(tasks));
  const task = tasks.find((entry) => path.startsWith(`/model_tasks/${entry.id}`));
  if (task && path.endsWith('/events')) return streamTask(response, task), true;
  if (task) return send(response, 200, path.endsWith('/cancel') ? cancelTask(task) : task);
  const model = models.find((entry) => path.startsWith('/models/') && path.split('/')[2] === entry.id);
  if (!model) return false;
  const action = request.method === 'DELETE' ? 'remove' : path.split('/')[3];
  return send(response, 202, startTask(model, action, (await readJson(request)).node));
}

async function answerProjects(request, response) {
  if (request.method !== 'POST') return send(response, 200, { ...list(projects), plans });
  const body = await readJson(request);
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(body.name)) return fail(response, 400, 'invalid_value', `\`${body.name}\` is not a project name; use 1 to 64 letters, digits, \`-\`, \`_\` and \`.\`.`, 'name');
  if (projects.some((entry) => entry.name === body.name)) return fail(response, 409, 'conflict', `The project \`${body.name}\` already exists; choose another name.`, 'name');
  const created = { id: newId('prj'), plan: plans[0], balance_usd: body.credit_usd ?? null, held_usd: body.credit_usd ? '0' : null, requests_per_minute: null, concurrent_transcriptions: null, created_at: now(), ...body };
  delete created.credit_usd;
  projects.push(created);
  return send(response, 201, created);
}

async function answerProject(request, response, name, rest) {
  const project = projects.find((entry) => entry.name === name);
  if (!project) return fail(response, 404, 'not_found', `There is no project \`${name}\`.`);
  if (rest === '' && request.method === 'PATCH') return send(response, 200, Object.assign(project, await readJson(request)));
  if (rest === '') return send(response, 200, project);
  if (rest === '/credit') return changeCredit(response, project, await readJson(request));
  if (rest === '/keys' && request.method === 'POST') {
    const body = await readJson(request);
    return send(response, 201, { ...newKey(keys, 'key', 'sk-', body), key: `sk-${SECRET}` });
  }
  if (rest === '/keys') return send(response, 200, list(name === 'research' ? [] : keys));
  const key = keys.find((entry) => rest.startsWith(`/keys/${entry.id}`));
  if (!key) return false;
  if (rest.endsWith('/rotate')) return send(response, 201, { ...newKey(keys, 'key', 'sk-', key), key: `sk-${SECRET}` });
  Object.assign(key, { state: 'revoked', revoked_at: now() });
  return send(response, 200, { deleted: true });
}

function changeCredit(response, project, body) {
  if (body.remove) return send(response, 200, Object.assign(project, { balance_usd: null, held_usd: null }));
  const total = Number(project.balance_usd ?? 0) + Number(body.add_usd);
  if (Number.isNaN(total)) return fail(response, 400, 'invalid_value', `\`${body.add_usd}\` is not an amount; write it like \`10\` or \`2.50\`.`, 'add_usd');
  if (total < 0) return fail(response, 409, 'conflict', `\`${project.name}\` has ${project.balance_usd} USD; take no more than that.`);
  return send(response, 200, Object.assign(project, { balance_usd: String(total), held_usd: project.held_usd ?? '0' }));
}

function newKey(stored, prefix, secretPrefix, { name, scopes, lifetime_seconds, project_id }) {
  const key = { id: newId(prefix), project_id: project_id ?? projects[0].id, name, hint: `${secretPrefix}4fVx`, scopes: scopes ?? ['read', 'write'], created_at: now(), expires_at: lifetime_seconds ? now() + lifetime_seconds : null, revoked_at: null, last_used_at: null, state: 'active' };
  stored.push(key);
  return key;
}

function answerAccount(response, url, name) {
  const project = projects.find((entry) => entry.name === name) ?? projects[0];
  const { plan, balance_usd, held_usd } = project;
  return send(response, 200, { object: 'account', project: name, plan, balance_usd, held_usd, usage: usageReport(url.searchParams, name) });
}

function send(response, status, body) {
  sendJson(response, status, body);
  return true;
}

function fail(response, status, code, message, param) {
  sendError(response, status, code, message, param);
  return true;
}
