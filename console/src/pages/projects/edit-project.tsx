// Changes the plan and the limits of a project.
import { useSignal } from '@preact/signals';
import { FormDialog } from '../../components/form-dialog';
import { SelectField } from '../../components/select-field';
import { LimitFields } from './limit-fields';
import { limitFromField, limitToField } from './limit-words';
import { changeProject, type Project } from './records';

interface EditProjectProps {
  project: Project;
  plans: string[];
  onChange: () => void;
  onClose: () => void;
}

const params = ['plan', 'requests_per_minute', 'concurrent_transcriptions'];

export function EditProject({ project, plans, onChange, onClose }: EditProjectProps) {
  const plan = useSignal(project.plan);
  const requests = useSignal(limitToField(project.requests_per_minute));
  const transcriptions = useSignal(limitToField(project.concurrent_transcriptions));
  const submit = async () => {
    const perMinute = limitFromField(requests.value);
    const concurrent = limitFromField(transcriptions.value);
    if (perMinute === undefined || concurrent === undefined) return;
    await changeProject(project.name, {
      ...(plan.value === project.plan ? {} : { plan: plan.value }),
      requests_per_minute: perMinute,
      concurrent_transcriptions: concurrent,
    });
    onChange();
    onClose();
  };
  // A plan that the catalogue no longer has is listed too, so that a change of limits keeps it.
  const known = plans.includes(project.plan) ? plans : [...plans, project.plan];
  return (
    <FormDialog
      title={`Plan and limits of “${project.name}”`}
      submit="Save"
      params={params}
      onSubmit={submit}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          <SelectField
            label="Plan"
            value={plan.value}
            options={known.map((entry) => ({ value: entry, label: entry }))}
            onChange={(value) => (plan.value = value)}
            hint="The plan decides which models the project may use."
            error={errorOf('plan')}
          />
          <LimitFields requests={requests} transcriptions={transcriptions} errorOf={errorOf} />
        </>
      )}
    </FormDialog>
  );
}
