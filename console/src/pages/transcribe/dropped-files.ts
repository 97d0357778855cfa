// The whole window accepts files, on every page, so that a file that misses the zone does not replace the console.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { href, navigate, route } from '../../router';
import { maxUploadBytes } from '../../session';
import { chooseFiles } from './chosen-files';

// Whether files are being dragged over the window.
export const isDragging = signal(false);

export function useDroppedFiles(): void {
  useEffect(() => {
    window.addEventListener('dragover', drag);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', drag);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', drop);
    };
  }, []);
}

// Dragged text stays the browser's.
const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;

// A dialog keeps what was written into it.
const isBlocked = (): boolean => document.querySelector('dialog[open]') !== null;

function drag(event: DragEvent): void {
  if (!hasFiles(event)) return;
  event.preventDefault();
  if (isBlocked() && event.dataTransfer) event.dataTransfer.dropEffect = 'none';
  isDragging.value = !isBlocked();
}

function leave(event: DragEvent): void {
  if (!event.relatedTarget) isDragging.value = false;
}

function drop(event: DragEvent): void {
  if (!hasFiles(event)) return;
  event.preventDefault();
  isDragging.value = false;
  if (isBlocked()) return;
  chooseFiles([...(event.dataTransfer?.files ?? [])], maxUploadBytes.value);
  if (route.value.page !== 'transcribe') navigate(href('/'));
}
