// What would be lost if the page were closed now. The browser asks first, and so does the button that signs out.
import { computed } from '@preact/signals';
import { isLeaving } from '../../session';
import { hasRecording } from './chosen-files';
import { isRecording } from './recorder';
import { isUploading } from './runs';

export const unsent = computed(() => {
  if (isRecording.value || hasRecording.value) return 'The recording from the microphone was not sent. It will be lost.';
  return isUploading.value ? 'Files that are not yet uploaded will not be transcribed.' : null;
});

window.addEventListener('beforeunload', (event) => {
  if (unsent.value !== null && !isLeaving) event.preventDefault();
});
