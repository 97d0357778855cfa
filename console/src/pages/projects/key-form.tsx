// The form for a new key: its name, how long it works, and what the kind of key adds. Then it shows the key once.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { DurationField } from '../../components/duration-field';
import { FormDialog } from '../../components/form-dialog';
import { SecretDialog } from '../../components/secret-dialog';
import { TextField } from '../../components/text-field';
import { firstLifetime, lifetimes } from './key-words';
import type { NewOperatorKey } from './records';

interface KeyFormProps {
  title: string;
  nameHint: string;
  // The title of the dialog with the new key, the label of the key, and what to do with it.
  created: { title: string; label: string; advice: ComponentChildren };
  // Parameters of the request that `children` have fields for.
  params?: string[];
  // Returns the new key.
  onCreate: (key: NewOperatorKey) => Promise<string>;
  onClose: () => void;
  // Whether `children` are filled in.
  isComplete?: boolean;
  children?: (errorOf: (param: string) => string | null) => ComponentChildren;
}

export function KeyForm({
  title,
  nameHint,
  created,
  params = [],
  onCreate,
  onClose,
  isComplete = true,
  children,
}: KeyFormProps) {
  const name = useSignal('');
  const nameMissing = useSignal(false);
  const lifetime = useSignal<number | null>(firstLifetime);
  const secret = useSignal<string | null>(null);
  const submit = async () => {
    const text = name.value.trim();
    nameMissing.value = text === '';
    if (nameMissing.value || Number.isNaN(lifetime.value) || !isComplete) return;
    const ends = lifetime.value === null ? {} : { lifetime_seconds: lifetime.value };
    secret.value = await onCreate({ name: text, ...ends });
  };
  if (secret.value !== null) {
    return (
      <SecretDialog title={created.title} label={created.label} secret={secret.value} onClose={onClose}>
        <p class="soft small">{created.advice}</p>
      </SecretDialog>
    );
  }
  return (
    <FormDialog
      title={title}
      submit="Create"
      params={['name', 'lifetime_seconds', ...params]}
      onSubmit={submit}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          <TextField
            label="Name"
            value={name.value}
            onInput={(text) => {
              name.value = text;
              nameMissing.value = false;
            }}
            hint={nameHint}
            error={nameMissing.value ? 'Write a name, so that the key can be recognized later.' : errorOf('name')}
            input={{ autocomplete: 'off', maxLength: 64 }}
          />
          {children?.(errorOf)}
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
