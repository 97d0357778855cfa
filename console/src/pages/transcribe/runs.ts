// All files that were started since the console was opened. They are uploaded one after the other.
import { computed, signal } from '@preact/signals';
import { Run } from './run';

export const runs = signal<Run[]>([]);
export const isUploading = computed(() => uploading.value !== null);

const uploading = signal<Run | null>(null);
const waiting: Run[] = [];

export function startRuns(project: string, files: File[], fieldsOf: (file: File) => [string, string][]): void {
  const started = files.map((file) => new Run(project, file, fieldsOf(file), endUpload));
  runs.value = [...started, ...runs.value];
  enqueue(started);
}

// Uploads a file again whose upload failed.
export function retryRun(run: Run): void {
  run.reset();
  enqueue([run]);
}

export function dismissRun(run: Run): void {
  run.close();
  runs.value = runs.value.filter((entry) => entry !== run);
}

function enqueue(added: Run[]): void {
  waiting.push(...added);
  if (!isUploading.value) uploadNext();
}

// A run that was cancelled while it waited ends nothing.
function endUpload(run: Run): void {
  if (run === uploading.value) uploadNext();
}

function uploadNext(): void {
  let next = waiting.shift();
  while (next?.stopped.value) next = waiting.shift();
  uploading.value = next ?? null;
  next?.start();
}
