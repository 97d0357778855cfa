// The paths of operators.
import { listJobs } from './console.mjs';
import { list, sendError, sendJson } from './http.mjs';
import { account, models } from './samples.mjs';

const project = (name, plan) => ({
  id: `prj_demo${name.padEnd(16, '0').slice(0, 16)}`,
  name,
  plan,
  balance_usd: '40.58',
  held_usd: '0',
  requests_per_minute: null,
  concurrent_transcriptions: null,
  created_at: 1790000000,
});

export async function answerOperator(request, response, url, session) {
  if (session.role !== 'operator') return sendError(response, 403, 'operator_only', 'Only operators can do this.');
  const path = url.pathname.replace('/operator/v1', '');
  if (path === '/jobs') {
    const page = listJobs(url.searchParams);
    return sendJson(response, 200, { ...page, data: page.data.map((job) => ({ ...job, project: 'default' })) });
  }
  if (path === '/projects')
    return sendJson(response, 200, {
      ...list([project('default', 'standard'), project('support-calls', 'business')]),
      plans: ['free', 'standard', 'business'],
    });
  if (path === '/usage') return sendJson(response, 200, account.usage);
  if (path === '/models')
    return sendJson(
      response,
      200,
      list(
        models.map((model) => ({
          ...model,
          languages: ['en', 'de'],
          bytes: 148000000,
          source: 'catalogue',
          untested: false,
          state: 'installed',
          speed: null,
          license: 'MIT',
          loaded: true,
        })),
      ),
    );
  if (path === '/overview') {
    return sendJson(response, 200, {
      object: 'overview',
      version: '0.1.0',
      role: 'all',
      node: 'nod_demo',
      started_at: 1794000000,
      uptime_seconds: 86400,
      jobs: { queued: 2, in_progress: 1, cancelling: 0 },
      queue: [],
      running: [],
      loaded_models: [],
      disk: { path_free_bytes: 40e9, path_total_bytes: 100e9 },
      database: { kind: 'sqlite', bytes: 12e6, ok: true },
      blobs: { kind: 'folder' },
      nodes: [],
      last_errors: [],
    });
  }
  return sendError(response, 404, 'unknown_path', 'The made-up server does not answer this path.');
}
