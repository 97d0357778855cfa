// Finds mistakes in the form before it is sent. The keys are the paths that the server would report.
import { formatInteger } from '../format/numbers';
import type { ProcessingForm, StageForm, TaskForm } from './form';
import { splitList } from './request';
import { checkSchemaText } from './schema-text';

export type FormErrors = Record<string, string>;

// Limits of the API. Characters are counted as the server counts them: an emoji is one.
const MAX_PROMPT = 4000;
const MAX_INSTRUCTIONS = 20_000;
const MAX_SOURCES = 16;
const MAX_SOURCE = 512;
const MAX_ENTITY_TYPES = 64;
const MAX_ENTITY_TYPE = 64;

// What is wrong with the names and terms of a transcription.
export const promptProblem = (prompt: string): string | null => tooLong(prompt, MAX_PROMPT);

export function validateForm(form: ProcessingForm): FormErrors {
  const errors: FormErrors = {};
  if (form.stages.diarization.enabled) checkSpeakers(form.stages.diarization, errors);
  if (form.stages.entities.enabled) checkEntityTypes(form.stages.entities, errors);
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

function checkEntityTypes(stage: StageForm, errors: FormErrors): void {
  const types = splitList(stage.options.types ?? '');
  const long = types.find((type) => length(type) > MAX_ENTITY_TYPE);
  if (types.length > MAX_ENTITY_TYPES) {
    errors['entities.types'] = `These are ${formatInteger(types.length)} types; at most ${MAX_ENTITY_TYPES} are allowed.`;
  } else if (long) {
    errors['entities.types'] = `A type has at most ${MAX_ENTITY_TYPE} characters: “${long.slice(0, 20)}…” is longer.`;
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
  const instructions = task.instructions.trim();
  const problem = instructions ? tooLong(instructions, MAX_INSTRUCTIONS) : 'Write what the model should do.';
  if (problem) report('instructions', problem);
  if (task.maxOutputTokens && !isWhole(task.maxOutputTokens, 1, 131_072)) {
    report('max_output_tokens', 'Write a whole number from 1 to 131,072.');
  }
  const temperature = Number(task.temperature);
  if (task.temperature && !(temperature >= 0 && temperature <= 2)) report('temperature', 'Write a number from 0 to 2.');
  const sources = splitList(task.sources);
  if (sources.some((source) => !/^#(\/([^/~]|~[01])+)+$/.test(source) || length(source) > MAX_SOURCE)) {
    report('sources', 'A source looks like #/transcript/text.');
  } else if (sources.length > MAX_SOURCES) {
    report('sources', `These are ${formatInteger(sources.length)} sources; at most ${MAX_SOURCES} are allowed.`);
  }
  if (task.answer === 'json_schema') {
    const mistake = checkSchemaText(task.schema)[0];
    if (mistake) report('schema', mistake.message);
  }
}

const length = (text: string): number => [...text].length;

function tooLong(text: string, maximum: number): string | null {
  if (length(text) <= maximum) return null;
  return `This has ${formatInteger(length(text))} characters; at most ${formatInteger(maximum)} are allowed.`;
}

function isWhole(text: string, minimum: number, maximum: number): boolean {
  const value = Number(text);
  return Number.isInteger(value) && value >= minimum && value <= maximum;
}
