// One task: an instruction for a language model, its sources and the form of its answer.
import type { Model } from '../api/types';
import { IconButton } from '../components/icon-button';
import { SelectField } from '../components/select-field';
import { TextAreaField } from '../components/text-area-field';
import { TextField } from '../components/text-field';
import type { TaskForm } from './form';
import { modelOptions } from './model-options';
import { SchemaEditor } from './schema-editor';
import type { FormErrors } from './validate';

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'];

interface TaskFieldsProps {
  task: TaskForm;
  path: string;
  errors: FormErrors;
  models: Model[];
  onChange: (task: TaskForm) => void;
  onRemove: () => void;
}

export function TaskFields({ task, path, errors, models, onChange, onRemove }: TaskFieldsProps) {
  const set = (changes: Partial<TaskForm>) => onChange({ ...task, ...changes });
  const error = (field: string) => errors[`${path}.${field}`];
  return (
    <fieldset class="task">
      <legend>Task {task.id}</legend>
      <IconButton icon="trash" label={`Remove task ${task.id}`} onClick={onRemove} />
      <TextAreaField
        label="Instructions"
        value={task.instructions}
        onInput={(instructions) => set({ instructions })}
        placeholder="List what each person promised to do."
        error={error('instructions')}
      />
      <div class="fields">
        <TextField
          label="Id"
          value={task.id}
          onInput={(id) => set({ id })}
          error={error('id')}
          input={{ spellcheck: false }}
        />
        <SelectField
          label="Model"
          value={task.model}
          options={modelOptions(models)}
          onChange={(model) => set({ model })}
          error={error('model')}
        />
        <SelectField
          label="Answer"
          value={task.answer}
          options={[
            { value: 'text', label: 'Text' },
            { value: 'json_schema', label: 'JSON that follows a schema' },
          ]}
          onChange={(answer) => set({ answer: answer as TaskForm['answer'] })}
        />
      </div>
      {task.answer === 'json_schema' && (
        <SchemaEditor
          schema={task.schema}
          strict={task.strict}
          onSchema={(schema) => set({ schema })}
          onStrict={(strict) => set({ strict })}
        />
      )}
      <details>
        <summary class="small soft">Sources and limits</summary>
        <div class="fields">
          <TextField
            label="Sources"
            value={task.sources}
            onInput={(sources) => set({ sources })}
            hint="Separate with commas, for example #/transcript/text, #/summary/text. Empty: the whole conversation"
            error={error('sources')}
            input={{ spellcheck: false }}
          />
          <TextField
            label="Maximum output tokens"
            value={task.maxOutputTokens}
            onInput={(maxOutputTokens) => set({ maxOutputTokens })}
            error={error('max_output_tokens')}
            input={{ inputMode: 'numeric' }}
          />
          <TextField
            label="Temperature"
            value={task.temperature}
            onInput={(temperature) => set({ temperature })}
            hint="0 to 2"
            error={error('temperature')}
            input={{ inputMode: 'decimal' }}
          />
          <SelectField
            label="Reasoning"
            value={task.effort}
            options={[
              { value: '', label: 'The model’s default' },
              ...efforts.map((value) => ({ value, label: value })),
            ]}
            onChange={(effort) => set({ effort })}
          />
        </div>
      </details>
    </fieldset>
  );
}
