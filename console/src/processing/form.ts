// The contents of the form for stages and tasks, before they become a request.
import { stages, type StageName } from './stages';

export interface StageForm {
  enabled: boolean;
  model: string;
  options: Record<string, string>;
}

export interface TaskForm {
  // Identifies the task in the page; its `id` can change while somebody types.
  number: number;
  id: string;
  model: string;
  instructions: string;
  sources: string;
  maxOutputTokens: string;
  temperature: string;
  effort: string;
  answer: 'text' | 'json_schema';
  schema: string;
  strict: boolean;
}

export interface ProcessingForm {
  stages: Record<StageName, StageForm>;
  tasks: TaskForm[];
  failurePolicy: 'fail_fast' | 'continue_independent';
  maxCostUsd: string;
}

export function emptyForm(): ProcessingForm {
  const entries = stages.map((stage): [StageName, StageForm] => [
    stage.name,
    {
      enabled: false,
      model: '',
      options: Object.fromEntries(stage.options.map((option) => [option.name, option.initial])),
    },
  ]);
  return {
    stages: Object.fromEntries(entries) as Record<StageName, StageForm>,
    tasks: [],
    failurePolicy: 'continue_independent',
    maxCostUsd: '',
  };
}

export const exampleSchema = `{
  "type": "object",
  "properties": {
    "items": {
      "type": "array",
      "items": { "type": "string" }
    }
  },
  "required": ["items"],
  "additionalProperties": false
}`;

export function newTask(existing: TaskForm[], model: string): TaskForm {
  const number = 1 + Math.max(0, ...existing.map((task) => task.number));
  return {
    number,
    id: `task_${number}`,
    model,
    instructions: '',
    sources: '',
    maxOutputTokens: '',
    temperature: '',
    effort: '',
    answer: 'text',
    schema: exampleSchema,
    strict: true,
  };
}

// The form with a stage switched on, or with a new task, that runs on this model.
export function withModel(form: ProcessingForm, stage: string, model: string): ProcessingForm {
  if (stage === 'task') return { ...form, tasks: [...form.tasks, newTask(form.tasks, model)] };
  const known = stages.find(({ name }) => name === stage);
  if (!known) return form;
  return { ...form, stages: { ...form.stages, [known.name]: { ...form.stages[known.name], enabled: true, model } } };
}

export function isEmptyForm(form: ProcessingForm): boolean {
  return form.tasks.length === 0 && Object.values(form.stages).every((stage) => !stage.enabled);
}
