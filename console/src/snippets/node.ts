// The call as a Node program.
import { formFields, type Call } from './call';

export function nodeSnippet(call: Call): string {
  const lines = [
    "import { openAsBlob } from 'node:fs';",
    '',
    `const api = ${literal(call.origin)};`,
    'const headers = { Authorization: `Bearer ${process.env.AURIS_API_KEY}` };',
    '',
    'async function call(path, options = {}) {',
    '  const response = await fetch(api + path, { ...options, headers: { ...headers, ...options.headers } });',
    '  if (!response.ok) throw new Error(await response.text());',
    '  return response.json();',
    '}',
    '',
    'async function finished(job) {',
    "  while (!['completed', 'failed', 'cancelled'].includes(job.status)) {",
    '    await new Promise((resolve) => setTimeout(resolve, 1000));',
    '    job = await call(`/v1/jobs/${job.id}`);',
    '  }',
    "  if (job.status !== 'completed') throw new Error(`the job is ${job.status}: ${JSON.stringify(job.error)}`);",
    '  return job;',
    '}',
    '',
    'const form = new FormData();',
    `form.set('file', await openAsBlob(${literal(call.fileName)}), ${literal(call.fileName)});`,
    ...formFields(call).map(([name, value]) => `form.set(${literal(name)}, ${literal(value)});`),
    "let job = await finished(await call('/v1/audio/transcriptions', { method: 'POST', body: form }));",
  ];
  if (call.processing) lines.push('', ...analysis(call.processing));
  lines.push(call.processing ? 'console.log(job.result);' : 'console.log(job.result.transcript.text);');
  return lines.join('\n');
}

function analysis(processing: Record<string, unknown>): string[] {
  return [
    `const processing = ${JSON.stringify(processing, null, 2)};`,
    "job = await finished(await call('/v1/audio/analyses', {",
    "  method: 'POST',",
    "  headers: { 'Content-Type': 'application/json', 'Idempotency-Key': `analysis-${job.id}` },",
    '  body: JSON.stringify({ job_id: job.id, processing }),',
    '}));',
  ];
}

const literal = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replace(/\\"/g, '"').replace(/'/g, "\\'")}'`;
