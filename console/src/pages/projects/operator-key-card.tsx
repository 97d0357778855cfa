// One operator key, which can be revoked.
import { useSignal } from '@preact/signals';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { RecordCard } from '../../components/record-card';
import { showToast } from '../../components/toasts';
import { KeyBadge, keyFacts, keyTitle } from './key-words';
import { revokeOperatorKey, type OperatorKey } from './records';

export function OperatorKeyCard({ operatorKey, onChange }: { operatorKey: OperatorKey; onChange: () => void }) {
  const asking = useSignal(false);
  const name = keyTitle(operatorKey);
  const revoke = async () => {
    await revokeOperatorKey(operatorKey.id);
    showToast('The operator key was revoked.');
    onChange();
  };
  return (
    <RecordCard
      title={name}
      badges={<KeyBadge state={operatorKey.state} />}
      subtitle={
        <>
          <code>{operatorKey.hint}…</code> <code>{operatorKey.id}</code>
        </>
      }
      facts={keyFacts(operatorKey)}
      actions={
        operatorKey.state === 'active' && (
          <Button
            kind="quiet"
            size="small"
            icon="trash"
            aria-label={`Revoke ${name}`}
            onClick={() => (asking.value = true)}
          >
            Revoke
          </Button>
        )
      }
    >
      {asking.value && (
        <ConfirmDialog
          title={`Revoke the operator key ${name}?`}
          confirm="Revoke"
          danger
          onConfirm={revoke}
          onClose={() => (asking.value = false)}
        >
          <p>
            Everybody who signed in with <code>{operatorKey.hint}…</code> is signed out, maybe you too. This cannot be
            undone. <code>auris console</code> prints a link to sign in again.
          </p>
        </ConfirmDialog>
      )}
    </RecordCard>
  );
}
