// Replaces an API key. The old one keeps working for a while.
import { useSignal } from '@preact/signals';
import { DurationField } from '../../components/duration-field';
import { FormDialog } from '../../components/form-dialog';
import { SecretDialog } from '../../components/secret-dialog';
import { project } from '../../session';
import { keyTitle } from './key-words';
import { rotateKey, type Key } from './records';

const graceOptions = [
  { value: '86400', label: 'One day' },
  { value: '3600', label: 'One hour' },
  { value: '604800', label: 'One week' },
  { value: '0', label: 'Not at all, because it leaked' },
];

interface RotateKeyProps {
  apiKey: Key;
  onRotated: () => void;
  onClose: () => void;
}

export function RotateKey({ apiKey, onRotated, onClose }: RotateKeyProps) {
  const grace = useSignal<number | null>(86_400);
  const secret = useSignal<string | null>(null);
  const submit = async () => {
    if (grace.value === null || Number.isNaN(grace.value)) return;
    secret.value = (await rotateKey(project.value, apiKey.id, grace.value)).key;
    onRotated();
  };
  if (secret.value !== null) {
    return (
      <SecretDialog title="The new key" label="API key" secret={secret.value} onClose={onClose}>
        <p class="soft small">
          {grace.value === 0
            ? 'The old key no longer works.'
            : 'Give the new key to your programs before the old one ends.'}
        </p>
      </SecretDialog>
    );
  }
  return (
    <FormDialog
      title={`Rotate the key “${keyTitle(apiKey)}”`}
      submit="Rotate"
      params={['grace_seconds']}
      onSubmit={submit}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          <p>The new key has the same name, scopes and lifetime.</p>
          <DurationField
            label="How long the old key still works"
            options={graceOptions}
            error={errorOf('grace_seconds')}
            onChange={(seconds) => (grace.value = seconds)}
          />
        </>
      )}
    </FormDialog>
  );
}
