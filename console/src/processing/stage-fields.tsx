// One stage: a switch, and its options once it is on.
import { useEffect } from 'preact/hooks';
import { firstChoice, usable } from '../api/models';
import type { Model } from '../api/types';
import { Checkbox } from '../components/checkbox';
import { SelectField } from '../components/select-field';
import { TextField } from '../components/text-field';
import type { StageForm } from './form';
import { modelOptions } from './model-options';
import { NoModel } from './no-model';
import type { Stage, StageOption } from './stages';
import type { FormErrors } from './validate';

interface StageFieldsProps {
  stage: Stage;
  form: StageForm;
  errors: FormErrors;
  models: Model[];
  onChange: (form: StageForm) => void;
}

export function StageFields({ stage, form, errors, models, onChange }: StageFieldsProps) {
  const setOption = (name: string, value: string) => onChange({ ...form, options: { ...form.options, [name]: value } });
  const canRun = usable(models).length > 0;
  // A model can be removed while the form is open, and a link can name one that the plan does not allow.
  useEffect(() => {
    const isKnown = usable(models).some(({ id }) => id === form.model);
    if (form.enabled && !isKnown) onChange({ ...form, enabled: canRun, model: firstChoice(models)?.id ?? '' });
  });
  // The model is always named: the default of the server may not be installed, which it says only after the upload.
  const enable = (enabled: boolean) =>
    onChange({ ...form, enabled, model: form.model || (firstChoice(models)?.id ?? '') });
  return (
    <li class={form.enabled ? 'stage on' : 'stage'}>
      <Checkbox checked={form.enabled} disabled={!canRun} onChange={enable}>
        <strong>{stage.title}</strong>
        <span class="soft">{stage.description}</span>
      </Checkbox>
      {!canRun && <NoModel models={models} />}
      {form.enabled && (
        <div class="fields stage-options">
          {stage.options.map((option) => (
            <StageOptionField
              key={option.name}
              option={option}
              value={form.options[option.name] ?? ''}
              error={errors[`${stage.name}.${option.name}`]}
              onChange={(value) => setOption(option.name, value)}
            />
          ))}
          {/* Names of models are long, so they have the whole line. */}
          <div style={{ gridColumn: '1 / -1' }}>
            <SelectField
              label="Model"
              value={form.model}
              options={modelOptions(models)}
              onChange={(model) => onChange({ ...form, model })}
            />
          </div>
        </div>
      )}
    </li>
  );
}

interface StageOptionFieldProps {
  option: StageOption;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

function StageOptionField({ option, value, error, onChange }: StageOptionFieldProps) {
  if (option.kind === 'choice') {
    return <SelectField label={option.label} value={value} options={option.choices ?? []} onChange={onChange} />;
  }
  return (
    <TextField
      label={option.label}
      value={value}
      onInput={onChange}
      hint={option.hint ?? ''}
      error={error}
      input={option.kind === 'number' ? { inputMode: 'numeric' } : {}}
    />
  );
}
