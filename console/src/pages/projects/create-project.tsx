// Creates a project.
import { useSignal } from '@preact/signals';
import { FormDialog } from '../../components/form-dialog';
import { SelectField } from '../../components/select-field';
import { TextField } from '../../components/text-field';
import { showToast } from '../../components/toasts';
import { LimitFields } from './limit-fields';
import { limitFromField } from './limit-words';
import { createProject, type NewProject } from './records';

interface CreateProjectProps {
  plans: string[];
  onCreated: () => Promise<void>;
  onClose: () => void;
}

const params = ['name', 'plan', 'credit_usd', 'requests_per_minute', 'concurrent_transcriptions'];

export function CreateProject({ plans, onCreated, onClose }: CreateProjectProps) {
  const name = useSignal('');
  const plan = useSignal(plans[0] ?? '');
  const credit = useSignal('');
  const requests = useSignal('');
  const transcriptions = useSignal('');
  const submit = async () => {
    const perMinute = limitFromField(requests.value);
    const concurrent = limitFromField(transcriptions.value);
    if (perMinute === undefined || concurrent === undefined) return;
    const body: NewProject = { name: name.value.trim() };
    if (plan.value) body.plan = plan.value;
    if (credit.value.trim()) body.credit_usd = credit.value.trim();
    if (perMinute !== null) body.requests_per_minute = perMinute;
    if (concurrent !== null) body.concurrent_transcriptions = concurrent;
    const created = await createProject(body);
    await onCreated();
    showToast(`The project “${created.name}” was created. Create a key for it next.`);
    onClose();
  };
  return (
    <FormDialog title="Create a project" submit="Create" params={params} onSubmit={submit} onClose={onClose}>
      {(errorOf) => (
        <>
          <TextField
            label="Name"
            value={name.value}
            onInput={(text) => (name.value = text)}
            hint="Up to 64 letters, digits, dots, hyphens and underscores. It cannot be changed later."
            error={errorOf('name')}
            input={{ autocomplete: 'off', spellcheck: false, maxLength: 64 }}
          />
          <div class="fields">
            <SelectField
              label="Plan"
              value={plan.value}
              options={plans.map((entry) => ({ value: entry, label: entry }))}
              onChange={(value) => (plan.value = value)}
              error={errorOf('plan')}
            />
            <TextField
              label="Credit in US dollars"
              value={credit.value}
              onInput={(text) => (credit.value = text)}
              hint="Empty: the project spends without limit."
              error={errorOf('credit_usd')}
              input={{ inputMode: 'decimal', placeholder: '25.00', autocomplete: 'off' }}
            />
          </div>
          <LimitFields requests={requests} transcriptions={transcriptions} errorOf={errorOf} />
        </>
      )}
    </FormDialog>
  );
}
