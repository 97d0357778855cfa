// What the reader set on this page. It stays while other pages are open.
import { computed, signal } from '@preact/signals';
import { fileMetadata } from '../../api/file-name';
import { emptyForm, isEmptyForm } from '../../processing/form';
import { toProcessing } from '../../processing/request';
import { validateForm } from '../../processing/validate';

export const model = signal('');
export const language = signal('');
export const prompt = signal('');
export const processingForm = signal(emptyForm());

export const formErrors = computed(() => validateForm(processingForm.value));
export const isValid = computed(() => Object.keys(formErrors.value).length === 0);

// The analysis that follows the transcription, or null if there is none or the form has mistakes.
export const processing = computed(() =>
  isEmptyForm(processingForm.value) || !isValid.value ? null : toProcessing(processingForm.value),
);

// The fields of the form for a recording with this file name.
export function formFields(chosenModel: string, fileName: string): [string, string][] {
  const metadata = fileMetadata(fileName);
  const fields: [string, string][] = [
    ['model', chosenModel],
    ['async', 'true'],
    ['metadata', JSON.stringify(metadata)],
  ];
  if (language.value) fields.push(['language', language.value]);
  if (prompt.value.trim()) fields.push(['prompt', prompt.value.trim()]);
  if (processing.value) fields.push(['analysis', JSON.stringify({ processing: processing.value, metadata })]);
  return fields;
}
