// Sends a recording as a form and reports how much has been sent, which `fetch` cannot do.
import { sessionLost } from './client';
import { connectionError, errorFromBody, type ApiError } from './error';
import { consolePath } from './paths';
import type { Job } from './types';

export interface UploadRequest {
  project: string;
  file: File;
  fields: [string, string][];
  idempotencyKey: string;
  onSent: (share: number) => void;
  onJob: (job: Job) => void;
  onError: (error: ApiError) => void;
}

export function upload({ project, file, fields, idempotencyKey, onSent, onJob, onError }: UploadRequest): () => void {
  const path = consolePath(project, '/audio/transcriptions');
  const form = new FormData();
  // The fields come first, so that the server can refuse a wrong one before it reads the audio.
  for (const [name, value] of fields) form.append(name, value);
  form.append('file', file, file.name);

  const sending = new XMLHttpRequest();
  sending.open('POST', path);
  sending.setRequestHeader('X-Auris-Console', '1');
  sending.setRequestHeader('Idempotency-Key', idempotencyKey);
  sending.upload.onprogress = (event) => event.lengthComputable && onSent(event.loaded / event.total);
  sending.onerror = () => onError(connectionError());
  sending.onload = () => {
    if (sending.status >= 200 && sending.status < 300) return onJob(JSON.parse(sending.responseText) as Job);
    sessionLost(sending.status, path);
    onError(errorFromBody(sending.status, sending.responseText, headersOf(sending)));
  };
  sending.send(form);
  return () => sending.abort();
}

function headersOf(answered: XMLHttpRequest): Headers {
  const lines = answered.getAllResponseHeaders().trim().split('\r\n');
  return new Headers(lines.filter(Boolean).map((line): [string, string] => splitOnce(line, ': ')));
}

function splitOnce(line: string, separator: string): [string, string] {
  const place = line.indexOf(separator);
  return [line.slice(0, place), line.slice(place + separator.length)];
}
