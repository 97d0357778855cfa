// Sample data for the operator's pages. It lives in memory, and the pages can change it.

export const now = () => Math.floor(Date.now() / 1000);

let nextId = 0;
export const newId = (prefix) => `${prefix}_0mwh${String(nextId++).padStart(16, '0')}`;

const rate = (capability, native_unit, price_per_unit_usd) => ({ capability, native_unit, price_per_unit_usd });
const perSecond = (price) => [rate('transcription', 'audio_second', price)];
const many = 'af ar az be bg bs ca cs cy da de el en es et fa fi fr gl he hi hr hu hy id is it ja kk kn ko lt lv mi mk mr ms ne nl no pl pt ro ru sk sl sr sv sw ta th tl tr uk ur vi zh'.split(' ');
const speed = (unit, units_per_second) => ({ model: '', unit, units_per_second, units_per_cpu_second: units_per_second / 4, threads: 4, load_milliseconds: 412, memory_bytes: 612368384, cpu: 'Example CPU at 3.1 GHz', kernels: 'avx2' });

const model = (id, display_name, changes) => ({ id, display_name, required_plan: null, capabilities: perSecond('0'), languages: [], bytes: 0, source: 'catalogue', untested: false, state: 'installed', speed: null, license: 'MIT', uses: [], loaded: false, ...changes });

export const models = [
  model('auto', 'Automatic', { state: 'chooses', license: null }),
  model('moonshine-tiny-en', 'Moonshine tiny (English)', { languages: ['en'], bytes: 30765157, state: 'not installed' }),
  model('moonshine-base-en', 'Moonshine base (English)', { languages: ['en'], bytes: 66420311, speed: speed('audio_second', 48.2), loaded: true }),
  model('whisper-base', 'Whisper base', { languages: many, bytes: 81768585, speed: speed('audio_second', 31.5), capabilities: perSecond('0.00002') }),
  model('whisper-small', 'Whisper small', { languages: many, bytes: 264464607, state: 'not installed', capabilities: perSecond('0.00005') }),
  model('whisper-large-v3-turbo-q8_0', 'Whisper large v3 turbo, quantized to 8 bits', { languages: many, bytes: 874188075, source: 'local', untested: true, license: null }),
  model('pyannote-campplus', 'Speakers (pyannote segmentation 3.0, CAM++)', { state: 'built in', license: 'MIT, Apache-2.0', capabilities: [rate('diarization', 'audio_second', '0')], speed: speed('audio_second', 120.4) }),
  model('summary-en', 'Summary (English)', { languages: ['en'], bytes: 24500000, capabilities: [rate('summary', 'character', '0')] }),
  model('entities-en', 'Entities (English)', { languages: ['en'], state: 'built in', capabilities: [rate('entities', 'character', '0.00000001')] }),
  model('qwen2.5-1.5b-instruct', 'Qwen2.5 1.5B Instruct', { bytes: 1117320736, required_plan: 'pro', license: 'Apache-2.0', state: 'not installed', capabilities: [rate('task', 'input_token', '0.0000002'), rate('task', 'output_token', '0.0000006')], speed: null }),
  model('house-model', 'House model', { state: 'remote', license: null, required_plan: 'pro', capabilities: [rate('task', 'input_token', '0.000001'), rate('task', 'output_token', '0.000004')] }),
];

export const NODE = 'nod_0mwh0a3c5e7g9i1k3m5o';
export const nodes = () => [
  { id: NODE, role: 'all', version: '0.1.0', host: 'speech-1', started_at: now() - 432000, seen_at: now() - 2, alive: true },
  { id: 'nod_0mwh0a3c5e7g9i1k3m5p', role: 'worker', version: '0.1.0', host: 'speech-2', started_at: now() - 86400, seen_at: now() - 4, alive: true },
  { id: 'nod_0mwh0a3c5e7g9i1k3m5q', role: 'worker', version: '0.0.9', host: 'speech-3', started_at: now() - 900000, seen_at: now() - 7200, alive: false },
];

const step = (project, name, modelId, seconds, node) => ({ project, job_id: 'job_demo0000000000000001', step_id: newId('stp'), step: name, model: modelId, node, started_at: now() - seconds });

export const overview = () => ({
  object: 'overview', version: '0.1.0', role: 'all', node: NODE, started_at: now() - 432000, uptime_seconds: 432000,
  jobs: { queued: 14, in_progress: 3, cancelling: 1 },
  queue: [
    { project: 'support-calls', queued_steps: 11, running_steps: 2, oldest_queued_at: now() - 340 },
    { project: 'default', queued_steps: 3, running_steps: 1, oldest_queued_at: now() - 12 },
    { project: 'research', queued_steps: 0, running_steps: 1, oldest_queued_at: null },
  ],
  running: [step('support-calls', 'transcription', 'whisper-base', 74, NODE), step('support-calls', 'diarization', 'pyannote-campplus', 12, nodes()[1].id), step('research', 'tasks/actions', 'house-model', 3, null)],
  loaded_models: [{ id: 'moonshine-base-en', memory_bytes: 312475648 }, { id: 'whisper-base', memory_bytes: 298844160 }, { id: 'summary-en', memory_bytes: null }],
  disk: { path_free_bytes: 81604378624, path_total_bytes: 125627789312 },
  database: { kind: 'sqlite', bytes: 45088768, ok: true },
  blobs: { kind: 'folder' },
  nodes: nodes(),
  last_errors: [
    { at: now() - 1200, message: 'the receiver https://example.com/hooks/auris did not respond within 15 seconds', target: 'webhooks' },
    { at: now() - 8000, message: 'a step of job_0mwh2ixixk3f7q9zt1vb was lost: the worker speech-3 stopped without handing it back', target: 'queue' },
  ],
});

export const report = {
  object: 'report', ok: true,
  findings: [
    { check: 'data folder', state: 'ok', found: '/var/lib/auris can be written; 76 GB are free', advice: '' },
    { check: 'open files', state: 'warning', found: 'the limit is 1024', advice: 'raise the limit of open files to at least 4096, for example with `LimitNOFILE=65536` in the unit of systemd' },
    { check: 'database', state: 'ok', found: 'SQLite answers in 1 ms; all migrations are applied', advice: '' },
    { check: 'models', state: 'ok', found: '5 models are installed', advice: '' },
    { check: 'blobs', state: 'ok', found: 'a test blob was written, read and deleted', advice: '' },
  ],
};

const setting = (name, value, source = 'default') => ({ name, value, source });
export const settings = [
  setting('blobs.url', ''), setting('console.enabled', 'true'), setting('console.listen', ''), setting('console.public_url', 'https://auris.example.com', 'file'),
  setting('database.url', ''), setting('engines.idle_unload_seconds', '900'), setting('engines.memory_mb', '0'), setting('engines.threads', '4', 'flag'),
  setting('jobs.drain_seconds', '25'), setting('rate_limits.requests_per_minute', '600', 'environment'), setting('security.master_key', '••••', 'environment'),
  setting('server.listen', '0.0.0.0:8080', 'file'), setting('server.public_url', ''), setting('webhooks.allowed_networks', '10.20.0.0/16, fd12:3456::/32', 'file'),
];

const project = (name, plan, balance_usd, limits = {}) => ({ id: newId('prj'), name, plan, balance_usd, held_usd: balance_usd && '0.12', requests_per_minute: null, concurrent_transcriptions: null, created_at: now() - 5000000, ...limits });
export const plans = ['free', 'pro'];
export const projects = [
  project('default', 'free', null),
  project('support-calls', 'pro', '24.5', { requests_per_minute: 100, concurrent_transcriptions: 0 }),
  project('research', 'pro', '0.08', { created_at: now() - 300000 }),
];

const key = (name, hint, changes = {}) => ({ id: newId('key'), project_id: projects[0].id, name, hint, scopes: ['read', 'write'], created_at: now() - 4000000, expires_at: now() + 3776000, revoked_at: null, last_used_at: now() - 40, state: 'active', ...changes });
export const keys = [
  key('importer', 'sk-4fVx', { scopes: ['write'] }),
  key('', 'sk-9QmZ', { expires_at: null, last_used_at: null }),
  key('old laptop', 'sk-1aBc', { state: 'revoked', revoked_at: now() - 200000 }),
  key('trial', 'sk-7KcB', { state: 'expired', expires_at: now() - 100000, scopes: ['read'] }),
];
export const operatorSessions = [
  { id: 'ses_0mwh2r8t4w1c6y8d3n5p', key_id: null, key_name: null, created_at: now() - 60, expires_at: now() + 43140 },
  { id: newId('ses'), key_id: newId('opk'), key_name: 'anna', created_at: now() - 9000, expires_at: now() + 34200 },
];
export const operatorKeys = [
  { id: newId('opk'), name: 'anna', hint: 'ok-7Jq2', created_at: now() - 700000, expires_at: now() + 7000000, revoked_at: null, last_used_at: now() - 5, state: 'active' },
  { id: newId('opk'), name: 'dashboard', hint: 'ok-Lr4T', created_at: now() - 900000, expires_at: null, revoked_at: now() - 3000, last_used_at: now() - 5000, state: 'revoked' },
];

const endpoint = (url, changes = {}) => ({ id: newId('whk'), url, status: 'enabled', created_at: now() - 1500000, failing_since: null, disabled_because: null, previous_secret_until: null, ...changes });
export const endpoints = [
  endpoint('https://example.com/hooks/auris', { previous_secret_until: now() + 50000 }),
  endpoint('https://crm.example.org/integrations/speech/incoming?tenant=4711', { failing_since: now() - 90000 }),
  endpoint('https://old.example.net/hook', { status: 'disabled', failing_since: now() - 600000, disabled_because: 'All deliveries failed for five days.' }),
];

const attempt = (number, seconds, status, answer, error = null) => ({ number, started_at: now() - seconds, milliseconds: 40 + number * 61, status, error, answer });
const body = (type) => JSON.stringify({ type, timestamp: '2026-11-15T00:06:47Z', data: { id: 'job_demo0000000000000001', object: 'job', operation: 'transcription', status: type.slice(4), created_at: 1794700812, result: null, metadata: { customer: '4711' } } });
const delivery = (status, type, at, attempts, changes = {}) => ({ id: newId('dlv'), event_id: newId('evt'), job_id: 'job_demo0000000000000001', endpoint_id: endpoints[0].id, url: endpoints[0].url, status, attempts: attempts.length, next_attempt_at: null, created_at: now() - at, body: body(type), last_attempts: attempts, ...changes });
export const deliveries = [
  delivery('pending', 'job.completed', 400, [attempt(1, 399, 502, '<html><b>Bad Gateway</b></html>'), attempt(2, 390, null, null, 'no response within 15 seconds')], { next_attempt_at: now() + 280, endpoint_id: endpoints[1].id, url: endpoints[1].url }),
  delivery('delivered', 'job.completed', 900, [attempt(1, 899, 204, '')]),
  delivery('delivered', 'job.failed', 4000, [attempt(1, 3999, 500, 'Internal Server Error'), attempt(2, 3990, 200, '{"ok":true}')]),
  delivery('failed', 'job.completed', 700000, Array.from({ length: 10 }, (_, index) => attempt(index + 1, 700000 - index * 30000, 404, 'Not found: /hook')), { endpoint_id: endpoints[2].id, url: endpoints[2].url }),
  delivery('delivered', 'job.cancelled', 900000, [attempt(1, 899999, 200, 'thanks')], { endpoint_id: null, url: 'https://partner.example.com/auris/callback' }),
];

export const tasks = [
  { object: 'model_task', id: newId('mtk'), model: 'whisper-base', action: 'verify', node: NODE, status: 'completed', progress: { file: null, done_bytes: 81768585, total_bytes: 81768585 }, error: null, created_at: now() - 7000, ended_at: now() - 6990 },
  { object: 'model_task', id: newId('mtk'), model: 'whisper-small', action: 'pull', node: nodes()[1].id, status: 'failed', progress: { file: 'model.bin', done_bytes: 1, total_bytes: 264464607 }, error: 'The disk is full: 120 MiB are free, 252 MiB are needed. Free some space and try again.', created_at: now() - 90000, ended_at: now() - 89000 },
];
