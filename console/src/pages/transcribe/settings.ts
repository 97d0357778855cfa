// What the reader set on this page. It stays while other pages are open.
import { computed, signal } from '@preact/signals';
import { fileMetadata } from '../../api/file-name';
import { emptyForm, isEmptyForm } from '../../processing/form';
import { toProcessing } from '../../processing/request';
import { promptProblem, validateForm } from '../../processing/validate';

export const model = signal('');
export const language = signal('');
export const prompt = signal('');
export const processingForm = signal(emptyForm());

export const formErrors = computed(() => validateForm(processingForm.value));
export const promptError = computed(() => promptProblem(prompt.value.trim()));
const isFormValid = computed(() => Object.keys(formErrors.value).length === 0);
export const isValid = computed(() => isFormValid.value && promptError.value === null);

// The analysis that follows the transcription, or null if there is none or the form has mistakes.
export const processing = computed(() =>
  isEmptyForm(processingForm.value) || !isFormValid.value ? null : toProcessing(processingForm.value),
);

// What is sent, which the models of the project and the languages of the model limit.
export interface Chosen {
  model: string;
  language: string;
}

// The fields of the form for a recording with this file name.
export function formFields(chosen: Chosen, fileName: string): [string, string][] {
  const metadata = fileMetadata(fileName);
  const fields: [string, string][] = [
    ['model', chosen.model],
    ['async', 'true'],
    ['metadata', JSON.stringify(metadata)],
  ];
  if (chosen.language) fields.push(['language', chosen.language]);
  if (prompt.value.trim()) fields.push(['prompt', prompt.value.trim()]);
  if (processing.value) fields.push(['analysis', JSON.stringify({ processing: processing.value, metadata })]);
  return fields;
}
