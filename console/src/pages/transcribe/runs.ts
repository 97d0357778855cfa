// All files that were started since the console was opened. They are uploaded one after the other.
import { signal } from '@preact/signals';
import { Run } from './run';

export const runs = signal<Run[]>([]);

const waiting: Run[] = [];
let uploading = false;

export function startRuns(project: string, files: File[], fieldsOf: (file: File) => [string, string][]): void {
  const started = files.map((file) => new Run(project, file, fieldsOf(file), uploadNext));
  runs.value = [...started, ...runs.value];
  waiting.push(...started);
  if (!uploading) uploadNext();
}

export function dismissRun(run: Run): void {
  run.close();
  runs.value = runs.value.filter((entry) => entry !== run);
}

// Closing the page stops an upload, so the browser asks first.
window.addEventListener('beforeunload', (event) => {
  if (uploading) event.preventDefault();
});

function uploadNext(): void {
  let next = waiting.shift();
  while (next?.stopped.value) next = waiting.shift();
  uploading = next !== undefined;
  next?.start();
}
