// Creates an API key, then shows it once.
import { useSignal } from '@preact/signals';
import { Checkbox } from '../../components/checkbox';
import { project } from '../../session';
import { KeyForm } from './key-form';
import { createKey, type Scope } from './records';

const scopeTexts: { scope: Scope; label: string }[] = [
  { scope: 'read', label: 'Read: GET requests, such as jobs and results' },
  { scope: 'write', label: 'Write: everything else, such as transcriptions' },
];

export function CreateKey({ onCreated, onClose }: { onCreated: () => void; onClose: () => void }) {
  const scopes = useSignal<Scope[]>(['read', 'write']);
  const toggle = (scope: Scope, on: boolean) => {
    scopes.value = on ? [...scopes.value, scope] : scopes.value.filter((entry) => entry !== scope);
  };
  return (
    <KeyForm
      title={`Create an API key for “${project.value}”`}
      nameHint="What uses the key, to recognize it later. For example: importer."
      created={{
        title: 'The key was created',
        label: 'API key',
        advice: (
          <>
            Programs send it as <code>Authorization: Bearer sk-…</code> with every request.
          </>
        ),
      }}
      params={['scopes']}
      isComplete={scopes.value.length > 0}
      onCreate={async (body) => {
        const { key } = await createKey(project.value, { ...body, scopes: scopes.value });
        onCreated();
        return key;
      }}
      onClose={onClose}
    >
      {(errorOf) => (
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
      )}
    </KeyForm>
  );
}
