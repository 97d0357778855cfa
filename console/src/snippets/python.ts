// The call as a Python program.
import { formFields, type Call } from './call';

export function pythonSnippet(call: Call): string {
  const data = formFields(call).map(([name, value]) => `        ${literal(name)}: ${literal(value)},`);
  const lines = [
    'import os, time, requests',
    '',
    `api = ${literal(call.origin)}`,
    'session = requests.Session()',
    'session.headers["Authorization"] = "Bearer " + os.environ["AURIS_API_KEY"]',
    '',
    'def finished(job):',
    '    while job["status"] not in ("completed", "failed", "cancelled"):',
    '        time.sleep(1)',
    '        job = session.get(f"{api}/v1/jobs/{job[\'id\']}").json()',
    '    if job["status"] != "completed":',
    '        raise SystemExit(f"the job is {job[\'status\']}: {job[\'error\']}")',
    '    return job',
    '',
    `with open(${literal(call.fileName)}, "rb") as audio:`,
    '    answer = session.post(f"{api}/v1/audio/transcriptions", files={"file": audio}, data={',
    ...data,
    '    })',
    'answer.raise_for_status()',
    'job = finished(answer.json())',
  ];
  if (call.processing) lines.push('', ...analysis(call.processing));
  lines.push(call.processing ? 'print(job["result"])' : 'print(job["result"]["transcript"]["text"])');
  return lines.join('\n');
}

function analysis(processing: Record<string, unknown>): string[] {
  return [
    `answer = session.post(f"{api}/v1/audio/analyses", headers={"Idempotency-Key": "analysis-" + job["id"]}, json={`,
    '    "job_id": job["id"],',
    `    "processing": ${value(processing, 1)},`,
    '})',
    'answer.raise_for_status()',
    'job = finished(answer.json())',
  ];
}

const literal = (text: string): string => JSON.stringify(text);

// A JSON value in Python's spelling.
function value(input: unknown, depth: number): string {
  const inner = '    '.repeat(depth + 1);
  const outer = '    '.repeat(depth);
  if (input === null) return 'None';
  if (typeof input === 'boolean') return input ? 'True' : 'False';
  if (Array.isArray(input)) return `[${input.map((entry) => value(entry, depth)).join(', ')}]`;
  if (typeof input === 'object') {
    const entries = Object.entries(input).map(
      ([name, entry]) => `${inner}${literal(name)}: ${value(entry, depth + 1)},`,
    );
    return entries.length > 0 ? `{\n${entries.join('\n')}\n${outer}}` : '{}';
  }
  return JSON.stringify(input);
}
