// One API key, with what can be done about it.
import { useSignal } from '@preact/signals';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { RecordCard } from '../../components/record-card';
import { showToast } from '../../components/toasts';
import { project } from '../../session';
import { KeyBadge, keyFacts, keyTitle } from './key-words';
import { revokeKey, type Key } from './records';
import { RotateKey } from './rotate-key';

export function KeyCard({ apiKey, onChange }: { apiKey: Key; onChange: () => void }) {
  const dialog = useSignal<'rotate' | 'revoke' | null>(null);
  const close = () => (dialog.value = null);
  const revoke = async () => {
    await revokeKey(project.value, apiKey.id);
    showToast('The key was revoked.');
    onChange();
  };
  const name = keyTitle(apiKey);
  return (
    <RecordCard
      title={name}
      badges={<KeyBadge state={apiKey.state} />}
      subtitle={
        <>
          <code>{apiKey.hint}…</code> <code>{apiKey.id}</code>
        </>
      }
      facts={[{ label: 'May', value: apiKey.scopes.join(' and ') }, ...keyFacts(apiKey)]}
      actions={
        apiKey.state === 'active' && (
          <>
            <Button size="small" icon="refresh" aria-label={`Rotate ${name}`} onClick={() => (dialog.value = 'rotate')}>
              Rotate
            </Button>
            <Button
              kind="quiet"
              size="small"
              icon="trash"
              aria-label={`Revoke ${name}`}
              onClick={() => (dialog.value = 'revoke')}
            >
              Revoke
            </Button>
          </>
        )
      }
    >
      {dialog.value === 'rotate' && <RotateKey apiKey={apiKey} onRotated={onChange} onClose={close} />}
      {dialog.value === 'revoke' && (
        <ConfirmDialog title={`Revoke the key ${name}?`} confirm="Revoke" danger onConfirm={revoke} onClose={close}>
          <p>
            Programs that use <code>{apiKey.hint}…</code> are refused within five seconds. This cannot be undone. To
            replace it without an interruption, rotate it instead.
          </p>
        </ConfirmDialog>
      )}
    </RecordCard>
  );
}
