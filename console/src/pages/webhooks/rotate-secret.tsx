// Replaces the secret of an endpoint. For a while both secrets sign, so that no delivery is refused meanwhile.
import { useSignal } from '@preact/signals';
import { FormDialog } from '../../components/form-dialog';
import { SecretDialog } from '../../components/secret-dialog';
import { SelectField } from '../../components/select-field';
import { project } from '../../session';
import { rotateSecret, type EndpointRecord } from './records';

const graceOptions = [
  { value: '86400', label: 'One day' },
  { value: '0', label: 'Not at all, because it leaked' },
];

interface RotateSecretProps {
  endpoint: EndpointRecord;
  onRotated: () => void;
  onClose: () => void;
}

export function RotateSecret({ endpoint, onRotated, onClose }: RotateSecretProps) {
  const grace = useSignal('86400');
  const secret = useSignal<string | null>(null);
  const submit = async () => {
    secret.value = (await rotateSecret(project.value, endpoint.id, Number(grace.value))).secret;
    onRotated();
  };
  if (secret.value !== null) {
    return (
      <SecretDialog title="The new secret" label="Signing secret" secret={secret.value} onClose={onClose}>
        <p class="soft small">
          {grace.value === '0'
            ? 'Deliveries are signed only with this secret from now on. Give it to your receiver at once.'
            : 'Until the old secret ends, deliveries carry both signatures. Give the new one to your receiver before that.'}
        </p>
      </SecretDialog>
    );
  }
  return (
    <FormDialog
      title="Rotate the signing secret"
      submit="Rotate"
      params={['grace_seconds']}
      onSubmit={submit}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          <p>
            <code>{endpoint.url}</code> gets a new secret.
          </p>
          <SelectField
            label="How long the old secret still signs"
            value={grace.value}
            options={graceOptions}
            onChange={(value) => (grace.value = value)}
            error={errorOf('grace_seconds')}
          />
        </>
      )}
    </FormDialog>
  );
}
