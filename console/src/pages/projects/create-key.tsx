// Creates an API key, then shows it once.
import { useSignal } from '@preact/signals';
import { Checkbox } from '../../components/checkbox';
import { DurationField } from '../../components/duration-field';
import { FormDialog } from '../../components/form-dialog';
import { SecretDialog } from '../../components/secret-dialog';
import { TextField } from '../../components/text-field';
import { project } from '../../session';
import { firstLifetime, lifetimes } from './key-words';
import { createKey, type NewKey, type Scope } from './records';

const scopeTexts: { scope: Scope; label: string }[] = [
  { scope: 'read', label: 'Read: GET requests, such as jobs and results' },
  { scope: 'write', label: 'Write: everything else, such as transcriptions' },
];

export function CreateKey({ onCreated, onClose }: { onCreated: () => void; onClose: () => void }) {
  const name = useSignal('');
  const scopes = useSignal<Scope[]>(['read', 'write']);
  const lifetime = useSignal<number | null>(firstLifetime);
  const secret = useSignal<string | null>(null);
  const toggle = (scope: Scope, on: boolean) => {
    scopes.value = on ? [...scopes.value, scope] : scopes.value.filter((entry) => entry !== scope);
  };
  const submit = async () => {
    if (Number.isNaN(lifetime.value) || scopes.value.length === 0) return;
    const body: NewKey = { name: name.value.trim(), scopes: scopes.value };
    if (lifetime.value !== null) body.lifetime_seconds = lifetime.value;
    secret.value = (await createKey(project.value, body)).key;
    onCreated();
  };
  if (secret.value !== null) {
    return (
      <SecretDialog title="The key was created" label="API key" secret={secret.value} onClose={onClose}>
        <p class="soft small">
          Programs send it as <code>Authorization: Bearer sk-…</code> with every request.
        </p>
      </SecretDialog>
    );
  }
  const params = ['name', 'scopes', 'lifetime_seconds'];
  return (
    <FormDialog
      title={`Create an API key for ${project.value}`}
      submit="Create"
      params={params}
      onSubmit={submit}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          <TextField
            label="Name"
            value={name.value}
            onInput={(text) => (name.value = text)}
            hint="What uses the key, to recognize it later. For example: importer."
            error={errorOf('name')}
            input={{ autocomplete: 'off', maxLength: 64 }}
          />
          <fieldset class="choices">
            <legend>What the key may do</legend>
            {scopeTexts.map(({ scope, label }) => (
              <Checkbox key={scope} checked={scopes.value.includes(scope)} onChange={(on) => toggle(scope, on)}>
                {label}
              </Checkbox>
            ))}
            {(scopes.value.length === 0 || errorOf('scopes')) && (
              <p class="field-error" role="alert">
                {errorOf('scopes') ?? 'Choose at least one.'}
              </p>
            )}
          </fieldset>
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
