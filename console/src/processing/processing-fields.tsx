// The form for everything that runs after the transcription: stages, tasks and limits.
import type { Model } from '../api/types';
import { firstChoice, modelsFor, usable } from '../api/models';
import { Button } from '../components/button';
import { SelectField } from '../components/select-field';
import { TextField } from '../components/text-field';
import { isEmptyForm, withModel, type ProcessingForm, type TaskForm } from './form';
import { NoModel } from './no-model';
import { StageFields } from './stage-fields';
import { stages } from './stages';
import { TaskFields } from './task-fields';
import type { FormErrors } from './validate';

interface ProcessingFieldsProps {
  form: ProcessingForm;
  errors: FormErrors;
  models: Model[];
  onChange: (form: ProcessingForm) => void;
}

export function ProcessingFields({ form, errors, models, onChange }: ProcessingFieldsProps) {
  const setTask = (index: number, task: TaskForm | null) =>
    onChange({ ...form, tasks: form.tasks.flatMap((old, at) => (at !== index ? [old] : task ? [task] : [])) });
  const taskModels = modelsFor(models, 'task');
  const canRunTasks = usable(taskModels).length > 0;
  const addTask = () => onChange(withModel(form, 'task', firstChoice(taskModels)?.id ?? ''));
  return (
    <div class="processing">
      <ul class="stage-list">
        {stages.map((stage) => (
          <StageFields
            key={stage.name}
            stage={stage}
            form={form.stages[stage.name]}
            errors={errors}
            models={modelsFor(models, stage.name)}
            onChange={(changed) => onChange({ ...form, stages: { ...form.stages, [stage.name]: changed } })}
          />
        ))}
      </ul>
      {form.tasks.map((task, index) => (
        <TaskFields
          key={task.number}
          task={task}
          path={`tasks[${index}]`}
          errors={errors}
          models={taskModels}
          onChange={(changed) => setTask(index, changed)}
          onRemove={() => setTask(index, null)}
        />
      ))}
      <div class="row">
        <Button
          size="small"
          icon="plus"
          onClick={addTask}
          disabled={form.tasks.length >= 16 || !canRunTasks}
        >
          Add a task
        </Button>
        {canRunTasks ? (
          <span class="hint">Your own instruction for a language model.</span>
        ) : (
          <NoModel models={taskModels} />
        )}
      </div>
      {!isEmptyForm(form) && (
        <div class="fields">
          <SelectField
            label="If a step fails"
            value={form.failurePolicy}
            options={[
              { value: 'continue_independent', label: 'Run the other steps' },
              { value: 'fail_fast', label: 'Stop the job' },
            ]}
            onChange={(value) => onChange({ ...form, failurePolicy: value as ProcessingForm['failurePolicy'] })}
          />
          <TextField
            label="Cost limit in US dollars"
            value={form.maxCostUsd}
            onInput={(maxCostUsd) => onChange({ ...form, maxCostUsd })}
            hint="Empty: no limit"
            error={errors['max_cost_usd']}
            input={{ inputMode: 'decimal', placeholder: '0.25' }}
          />
        </div>
      )}
    </div>
  );
}
