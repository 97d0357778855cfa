// Turns the form into the `processing` object of an analysis.
import type { ProcessingForm, StageForm, TaskForm } from './form';
import { stages, type Stage } from './stages';

export type Processing = Record<string, unknown>;

export function toProcessing(form: ProcessingForm): Processing {
  const processing: Processing = {};
  for (const stage of stages) {
    const choice = form.stages[stage.name];
    if (choice.enabled) processing[stage.name] = toStage(stage, choice);
  }
  if (form.tasks.length > 0) processing.tasks = form.tasks.map(toTask);
  if (form.failurePolicy !== 'fail_fast') processing.failure_policy = form.failurePolicy;
  if (form.maxCostUsd.trim()) processing.max_cost_usd = form.maxCostUsd.trim();
  return processing;
}

export const splitList = (text: string): string[] =>
  text
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter(Boolean);

function toStage(stage: Stage, choice: StageForm): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  if (choice.model) result.model = choice.model;
  for (const option of stage.options) {
    const text = (choice.options[option.name] ?? '').trim();
    if (!text) continue;
    if (option.kind === 'number') result[option.name] = Number(text);
    else if (option.kind === 'list') result[option.name] = splitList(text);
    else result[option.name] = text;
  }
  return result;
}

function toTask(task: TaskForm): Record<string, unknown> {
  const result: Record<string, unknown> = { id: task.id, model: task.model };
  if (task.instructions.trim()) result.instructions = task.instructions.trim();
  const sources = splitList(task.sources);
  if (sources.length > 0) result.sources = sources;
  if (task.maxOutputTokens) result.max_output_tokens = Number(task.maxOutputTokens);
  if (task.temperature) result.temperature = Number(task.temperature);
  if (task.effort) result.reasoning = { effort: task.effort };
  if (task.answer === 'json_schema') {
    const schema = JSON.parse(task.schema) as unknown;
    result.text = { format: { type: 'json_schema', name: task.id, schema, strict: task.strict } };
  }
  return result;
}
