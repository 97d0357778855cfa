// The form with the steps and models of a job that ran. Its options and instructions are not part of the steps.
import type { JobStep, Model } from '../api/types';
import { firstChoice, modelsFor, usable } from '../api/models';
import { emptyForm, newTask, withModel, type ProcessingForm } from './form';

type Ran = Pick<JobStep, 'key' | 'requested_model'>;

export function formOfSteps(steps: Ran[], models: Model[]): ProcessingForm {
  return steps.reduce((form, step) => withStep(form, step, models), emptyForm());
}

function withStep(form: ProcessingForm, { key, requested_model: model }: Ran, models: Model[]): ProcessingForm {
  if (!key.startsWith('tasks/')) return withModel(form, key, model ?? '');
  const candidates = modelsFor(models, 'task');
  const isUsable = usable(candidates).some(({ id }) => id === model);
  const task = newTask(form.tasks, (isUsable ? model : firstChoice(candidates)?.id) ?? '');
  return { ...form, tasks: [...form.tasks, { ...task, id: key.slice('tasks/'.length) }] };
}
