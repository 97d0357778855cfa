// Requests to the public API with the key of the project, to prepare what a page shows.
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { LONG_MS, SHORT_MS, base, eventually, setting } from './browser.mjs';

export async function call(method, path, body) {
  const isForm = body instanceof FormData;
  const headers = { Authorization: `Bearer ${setting('AURIS_KEY')}` };
  if (method === 'POST') headers['Idempotency-Key'] = crypto.randomUUID();
  if (body && !isForm) headers['Content-Type'] = 'application/json';
  const response = await fetch(base + path, {
    method,
    headers,
    body: isForm ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(SHORT_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

// Starts a transcription, by default of the sample, and returns the id of its job.
export async function transcribe(fields, recording) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: 'fake-speech', async: 'true', ...fields })) form.set(name, value);
  const { name, buffer } = recording ?? (await sample());
  form.set('file', new Blob([buffer]), name);
  return (await call('POST', '/v1/audio/transcriptions', form)).id;
}

async function sample() {
  const path = setting('AURIS_SAMPLE');
  return { name: basename(path), buffer: await readFile(path) };
}

export async function analyse(body) {
  return (await call('POST', '/v1/audio/analyses', body)).id;
}

export function finished(job) {
  return eventually(
    `the end of ${job}`,
    async () => {
      const { status, error } = await call('GET', `/v1/jobs/${job}`);
      if (status === 'failed') throw new Error(`${job} failed: ${error?.message}`);
      return status === 'completed' && job;
    },
    LONG_MS,
  );
}

// Transcribes the sample or another recording, then analyses it. The page of the transcription shows both.
export async function analysedRecording(fields, processing, recording) {
  const transcription = await finished(await transcribe(fields, recording));
  await finished(await analyse({ job_id: transcription, processing }));
  return transcription;
}
