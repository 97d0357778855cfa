// A job that runs while somebody watches: its events arrive over 20 seconds, and a reader can resume at any of them.
import { jobs, makeJob, makeSteps, results } from './jobs.mjs';
import { makeResult } from './transcript.mjs';

const RUN_MS = 20000;
const logs = new Map();
let nextNumber = 1000;

export function startJob() {
  const number = nextNumber++;
  const now = Math.floor(Date.now() / 1000);
  const result = makeResult(400);
  const duration = Number(result.transcript.duration_seconds);
  const job = makeJob(number, { status: 'in_progress', created_at: now, started_at: now, completed_at: null, usage: null });
  job.progress = {
    ...job.progress,
    percent: 0,
    completed_steps: 0,
    current_steps: ['transcription'],
    audio_seconds_processed: 0,
    audio_seconds_total: duration,
  };
  jobs.set(job.id, job);
  logs.set(job.id, { started: Date.now(), events: plan(job, result, duration), result });
  return job;
}

function plan(job, result, duration) {
  const events = [
    { at: 0, type: 'job.queued', data: () => job },
    { at: 400, type: 'job.in_progress', data: () => job },
    { at: 450, type: 'job.step.in_progress', data: () => makeSteps(job)[0] },
  ];
  result.transcript.utterances.forEach((utterance, index) => {
    const at = 800 + (utterance.end / duration) * (RUN_MS - 1500);
    events.push({
      at,
      type: 'job.transcript.segment',
      data: () => ({ id: index, start: utterance.start, end: utterance.end, text: utterance.text, words: utterance.words }),
    });
    events.push({
      at: at + 1,
      type: 'job.progress',
      data: () => ({
        ...job,
        progress: { ...job.progress, percent: Math.floor((utterance.end / duration) * 99), audio_seconds_processed: utterance.end },
      }),
    });
  });
  events.push({ at: RUN_MS, type: 'job.completed', data: () => finish(job, result) });
  return events;
}

function finish(job, result) {
  const done = makeJob(1, {
    ...job,
    status: 'completed',
    completed_at: Math.floor(Date.now() / 1000),
    usage: { audio_seconds: 150, input_tokens: 0, output_tokens: 0, characters: 2000, cost_usd: '0.015' },
  });
  done.progress = { ...job.progress, percent: 100, completed_steps: 1, current_steps: [] };
  jobs.set(job.id, done);
  results.set(job.id, { transcript: result.transcript, artifacts: [], errors: [] });
  return done;
}

export function streamEvents(request, response, jobId) {
  const log = logs.get(jobId) ?? { started: 0, events: [{ at: 0, type: `job.${jobs.get(jobId).status}`, data: () => jobs.get(jobId) }] };
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-transform' });
  let next = Number(request.headers['last-event-id'] ?? 0);
  let timer = null;
  const send = () => {
    while (next < log.events.length && log.started + log.events[next].at <= Date.now()) {
      const { type, data } = log.events[next++];
      const envelope = {
        id: `evt_${next}`,
        object: 'job.event',
        sequence: next,
        type,
        job_id: jobId,
        created_at: Math.floor(Date.now() / 1000),
        data: data(),
      };
      response.write(`id: ${next}\nevent: ${type}\ndata: ${JSON.stringify(envelope)}\n\n`);
    }
    if (next >= log.events.length) return response.end();
    timer = setTimeout(send, 100);
  };
  response.on('close', () => clearTimeout(timer));
  send();
}
