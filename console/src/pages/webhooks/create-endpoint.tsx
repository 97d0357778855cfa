// Registers an endpoint, then shows its secret once.
import { useSignal } from '@preact/signals';
import { FormDialog } from '../../components/form-dialog';
import { SecretDialog } from '../../components/secret-dialog';
import { TextField } from '../../components/text-field';
import { project } from '../../session';
import { createEndpoint } from './records';

export function CreateEndpoint({ onCreated, onClose }: { onCreated: () => void; onClose: () => void }) {
  const url = useSignal('');
  const secret = useSignal<string | null>(null);
  const submit = async () => {
    secret.value = (await createEndpoint(project.value, url.value.trim())).secret;
    onCreated();
  };
  if (secret.value !== null) {
    return (
      <SecretDialog title="The endpoint is registered" label="Signing secret" secret={secret.value} onClose={onClose}>
        <p class="soft small">
          Your receiver verifies each delivery with this signing secret. Then send a test message from the list.
        </p>
      </SecretDialog>
    );
  }
  return (
    <FormDialog title="Add an endpoint" submit="Add" params={['url']} onSubmit={submit} onClose={onClose}>
      {(errorOf) => (
        <TextField
          label="URL"
          value={url.value}
          onInput={(text) => (url.value = text)}
          hint="It must start with https:// and be reachable from this server."
          error={errorOf('url')}
          input={{
            type: 'url',
            placeholder: 'https://example.com/hooks/auris',
            autocomplete: 'off',
            spellcheck: false,
          }}
        />
      )}
    </FormDialog>
  );
}
