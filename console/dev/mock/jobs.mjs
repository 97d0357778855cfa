// Sample jobs: a list of finished ones, a 3-hour one, a failed one, and live ones whose events arrive over 20 seconds.
import { makeResult } from './transcript.mjs';

const now = Math.floor(Date.now() / 1000);
export const jobs = new Map();
export const results = new Map();
export const speakerNames = new Map();

export const jobId = (number) => `job_demo${String(number).padStart(16, '0')}`;
const artifact = (id, purpose, media_type) => ({ id: `art_${id.slice(4, 20)}${purpose.slice(-4).replace('.', '0')}`, purpose, media_type });

export function makeJob(number, changes = {}) {
  const id = jobId(number);
  return {
    id,
    object: 'job',
    operation: 'transcription',
    status: 'completed',
    created_at: now - number * 1700,
    started_at: now - number * 1700 + 1,
    completed_at: now - number * 1700 + 42,
    progress: {
      percent: 100,
      queue_position: null,
      completed_steps: 1,
      total_steps: 1,
      current_steps: [],
      audio_seconds_processed: 312,
      audio_seconds_total: 312,
    },
    result: null,
    error: null,
    usage: { audio_seconds: 312, input_tokens: 0, output_tokens: 0, characters: 4120, cost_usd: '0.0312' },
    metadata: {},
    expires_at: now + 86400 * 30,
    result_deleted_at: null,
    ...changes,
  };
}

export function makeSteps(job) {
  const step = (key, changes = {}) => ({
    id: `stp_${job.id.slice(4, 18)}${key
      .slice(0, 6)
      .padEnd(6, '0')
      .replace(/[^a-z0-9]/g, '0')}`,
    object: 'job.step',
    job_id: job.id,
    key,
    operation: key.startsWith('tasks/') ? 'task' : key,
    status: 'completed',
    requested_model: null,
    resolved_model: 'base-multilingual',
    created_at: job.created_at,
    started_at: job.started_at,
    completed_at: job.completed_at,
    output: null,
    response: null,
    error: null,
    usage: job.usage,
    cost_usd: '0.0104',
    ...changes,
  });
  const failed = {
    message: 'The model server closed the connection three times.',
    type: 'api_error',
    param: null,
    code: 'backend_error',
    step_id: null,
    step_key: 'summary',
    attempts: 3,
  };
  if (job.status === 'failed') {
    const skipped = { ...failed, code: 'dependency_failed', message: 'The step `summary` failed.', attempts: 0 };
    return [
      step('transcription'),
      step('summary', { status: 'failed', error: failed }),
      step('tasks/actions', { status: 'skipped', error: skipped, started_at: null, completed_at: null, resolved_model: null, cost_usd: null }),
    ];
  }
  if (job.status !== 'completed') return [step('transcription', { status: job.status, completed_at: null, cost_usd: null, usage: null })];
  return job.operation === 'analysis'
    ? ['diarization', 'chapters', 'entities', 'summary', 'sentiment', 'tasks/actions'].map((key, index) =>
        step(key, { started_at: job.started_at + index * 2, completed_at: job.started_at + index * 2 + 3 }),
      )
    : [step('transcription')];
}

function store(job, result) {
  jobs.set(job.id, job);
  if (!result) return;
  result.artifacts = [
    ['input.audio', 'audio/mpeg'],
    ['transcript.json', 'application/json'],
    ['transcript.txt', 'text/plain'],
    ['transcript.srt', 'application/x-subrip'],
    ['transcript.vtt', 'text/vtt'],
  ].map(([purpose, type]) => artifact(job.id, purpose, type));
  results.set(job.id, result);
}

store(makeJob(1, { operation: 'analysis' }), makeResult(900));
const long = makeResult(30000);
store(
  makeJob(2, {
    operation: 'analysis',
    usage: { audio_seconds: 10800, input_tokens: 41000, output_tokens: 2100, characters: 170000, cost_usd: '1.412' },
  }),
  long,
);
store(
  makeJob(3, {
    status: 'failed',
    error: {
      message: 'The model server closed the connection three times.',
      type: 'api_error',
      param: null,
      code: 'backend_error',
      step_id: null,
      step_key: 'summary',
      attempts: 3,
    },
  }),
  { transcript: makeResult(120).transcript, errors: [] },
);
store(makeJob(4, { result_deleted_at: now - 3600 }));
store(
  makeJob(5, {
    status: 'queued',
    started_at: null,
    completed_at: null,
    usage: null,
    progress: {
      percent: 0,
      queue_position: 3,
      completed_steps: 0,
      total_steps: 1,
      current_steps: [],
      audio_seconds_processed: null,
      audio_seconds_total: null,
    },
  }),
);
for (let number = 6; number < 64; number++)
  store(makeJob(number, { status: number % 9 === 0 ? 'cancelled' : 'completed' }), makeResult(200 + number));
