// One API key, which can be rotated and revoked.
import { useSignal } from '@preact/signals';
import { Button } from '../../components/button';
import { project } from '../../session';
import { accessText, keyTitle } from './key-words';
import { revokeKey, type Key } from './records';
import { RevocableKey } from './revocable-key';
import { RotateKey } from './rotate-key';

export function KeyCard({ apiKey, onChange }: { apiKey: Key; onChange: () => void }) {
  const rotating = useSignal(false);
  return (
    <RevocableKey
      revocable={apiKey}
      kind="key"
      facts={[{ label: 'Access', value: accessText(apiKey.scopes) }]}
      onRevoke={(keyId) => revokeKey(project.value, keyId)}
      onChange={onChange}
      warning={
        <>
          Programs that use <code>{apiKey.hint}…</code> are refused within five seconds. This cannot be undone. To
          replace it without an interruption, rotate it instead.
        </>
      }
      actions={
        <Button
          size="small"
          icon="refresh"
          aria-label={`Rotate ${keyTitle(apiKey)}`}
          onClick={() => (rotating.value = true)}
        >
          Rotate
        </Button>
      }
    >
      {rotating.value && (
        <RotateKey apiKey={apiKey} onRotated={onChange} onClose={() => (rotating.value = false)} />
      )}
    </RevocableKey>
  );
}
