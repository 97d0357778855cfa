// Finds mistakes in the form before it is sent. The keys are the paths that the server would report.
import type { ProcessingForm, StageForm, TaskForm } from './form';
import { splitList } from './request';
import { checkSchemaText } from './schema-text';

export type FormErrors = Record<string, string>;

export function validateForm(form: ProcessingForm): FormErrors {
  const errors: FormErrors = {};
  if (form.stages.diarization.enabled) checkSpeakers(form.stages.diarization, errors);
  form.tasks.forEach((task, index) => checkTask(task, index, form.tasks, errors));
  if (form.maxCostUsd.trim() && !/^(0|[1-9]\d*)(\.\d{1,10})?$/.test(form.maxCostUsd.trim())) {
    errors['max_cost_usd'] = 'Write an amount in US dollars, for example 0.25.';
  }
  return errors;
}

function checkSpeakers(stage: StageForm, errors: FormErrors): void {
  const minimum = stage.options.min_speakers ?? '';
  const maximum = stage.options.max_speakers ?? '';
  for (const [name, text] of [
    ['min_speakers', minimum],
    ['max_speakers', maximum],
  ] as const) {
    if (text && !isWhole(text, 1, 100)) errors[`diarization.${name}`] = 'Write a whole number from 1 to 100.';
  }
  if (minimum && maximum && Number(minimum) > Number(maximum)) {
    errors['diarization.max_speakers'] = 'This must not be less than the minimum.';
  }
}

function checkTask(task: TaskForm, index: number, all: TaskForm[], errors: FormErrors): void {
  const report = (field: string, message: string) => (errors[`tasks[${index}].${field}`] = message);
  if (!/^[a-z][a-z0-9_-]{0,63}$/.test(task.id)) {
    report('id', 'Use small letters, digits, `-` and `_`, starting with a letter.');
  } else if (all.findIndex((other) => other.id === task.id) < index) {
    report('id', 'Another task has this id.');
  }
  if (!task.model) report('model', 'Choose a model.');
  if (!task.instructions.trim()) report('instructions', 'Write what the model should do.');
  if (task.maxOutputTokens && !isWhole(task.maxOutputTokens, 1, 131_072)) {
    report('max_output_tokens', 'Write a whole number from 1 to 131,072.');
  }
  const temperature = Number(task.temperature);
  if (task.temperature && !(temperature >= 0 && temperature <= 2)) report('temperature', 'Write a number from 0 to 2.');
  if (splitList(task.sources).some((source) => !/^#(\/([^/~]|~[01])+)+$/.test(source))) {
    report('sources', 'A source looks like #/transcript/text.');
  }
  if (task.answer === 'json_schema') {
    const problem = checkSchemaText(task.schema)[0];
    if (problem) report('schema', problem.message);
  }
}

function isWhole(text: string, minimum: number, maximum: number): boolean {
  const value = Number(text);
  return Number.isInteger(value) && value >= minimum && value <= maximum;
}
