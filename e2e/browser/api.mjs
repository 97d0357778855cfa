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

// Starts a transcription of the sample and returns the id of its job.
export async function transcribe(fields) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: 'fake-speech', async: 'true', ...fields })) form.set(name, value);
  const sample = setting('AURIS_SAMPLE');
  form.set('file', new Blob([await readFile(sample)]), basename(sample));
  return (await call('POST', '/v1/audio/transcriptions', form)).id;
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

// Transcribes the sample, then analyses it. The page of the transcription shows both.
export async function analysedRecording(fields, processing) {
  const transcription = await finished(await transcribe(fields));
  await finished(await analyse({ job_id: transcription, processing }));
  return transcription;
}
