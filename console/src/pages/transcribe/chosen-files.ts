// The files that the reader chose but has not sent yet. Files that the server would refuse never enter the list.
import { computed, signal } from '@preact/signals';
import { formatBytes } from '../../format/numbers';

export const chosenFiles = signal<File[]>([]);
export const refusals = signal<string[]>([]);
// Chosen files that exist only in this page.
export const hasRecording = computed(() => chosenFiles.value.some((file) => recordings.has(file)));
const recordings = new WeakSet<File>();

export function chooseFiles(files: Iterable<File>, maxBytes: number): void {
  const accepted: File[] = [];
  const refused: string[] = [];
  for (const file of files) {
    const reason = refusal(file, maxBytes);
    if (reason) refused.push(reason);
    else accepted.push(file);
  }
  chosenFiles.value = [...chosenFiles.value, ...accepted];
  refusals.value = refused;
}

export function chooseRecording(file: File, maxBytes: number): void {
  recordings.add(file);
  chooseFiles([file], maxBytes);
}

export function removeFile(file: File): void {
  chosenFiles.value = chosenFiles.value.filter((entry) => entry !== file);
}

function refusal(file: File, maxBytes: number): string | null {
  if (file.size === 0) return `“${file.name}” is empty. Choose another file.`;
  if (file.size <= maxBytes) return null;
  return (
    `“${file.name}” is larger than ${formatBytes(maxBytes)}, the limit of this server. ` +
    'Send a compressed format such as MP3, Opus or M4A, or split the file.'
  );
}
