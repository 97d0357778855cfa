// Creates an operator key, then shows it once.
import { useSignal } from '@preact/signals';
import { DurationField } from '../../components/duration-field';
import { FormDialog } from '../../components/form-dialog';
import { SecretDialog } from '../../components/secret-dialog';
import { TextField } from '../../components/text-field';
import { firstLifetime, lifetimes } from './key-words';
import { createOperatorKey } from './records';

export function CreateOperatorKey({ onCreated, onClose }: { onCreated: () => void; onClose: () => void }) {
  const name = useSignal('');
  const lifetime = useSignal<number | null>(firstLifetime);
  const secret = useSignal<string | null>(null);
  const submit = async () => {
    if (Number.isNaN(lifetime.value)) return;
    const body = { name: name.value.trim(), ...(lifetime.value === null ? {} : { lifetime_seconds: lifetime.value }) };
    secret.value = (await createOperatorKey(body)).key;
    onCreated();
  };
  if (secret.value !== null) {
    return (
      <SecretDialog title="The operator key was created" label="Operator key" secret={secret.value} onClose={onClose}>
        <p class="soft small">It opens everything in this console. Send it only over a safe channel.</p>
      </SecretDialog>
    );
  }
  return (
    <FormDialog
      title="Create an operator key"
      submit="Create"
      params={['name', 'lifetime_seconds']}
      onSubmit={submit}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          <TextField
            label="Name"
            value={name.value}
            onInput={(text) => (name.value = text)}
            hint="Who or what uses the key, to recognize it later."
            error={errorOf('name')}
            input={{ autocomplete: 'off', maxLength: 64 }}
          />
          <DurationField
            label="How long it works"
            options={lifetimes}
            error={errorOf('lifetime_seconds')}
            onChange={(seconds) => (lifetime.value = seconds)}
          />
        </>
      )}
    </FormDialog>
  );
}
