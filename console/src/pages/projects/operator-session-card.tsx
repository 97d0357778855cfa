// The session of one operator, which another operator can end.
import { useSignal } from '@preact/signals';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { RecordCard } from '../../components/record-card';
import { Time } from '../../components/time';
import { showToast } from '../../components/toasts';
import { session } from '../../session';
import { endOperatorSession, type OperatorSession } from './records';

interface OperatorSessionCardProps {
  operatorSession: OperatorSession;
  onChange: () => void;
}

export function OperatorSessionCard({ operatorSession, onChange }: OperatorSessionCardProps) {
  const { id, key_id: keyId, key_name: keyName, created_at: createdAt, expires_at: expiresAt } = operatorSession;
  const asking = useSignal(false);
  const isOwn = id === session.value?.id;
  const end = async () => {
    await endOperatorSession(id);
    showToast('The session was ended.');
    onChange();
  };
  return (
    <RecordCard
      title={keyName ?? 'Signed in by link'}
      badges={isOwn && <Badge kind="info">This session</Badge>}
      subtitle={<code>{id}</code>}
      facts={[
        { label: 'Signed in', value: <Time seconds={createdAt} /> },
        { label: 'Ends', value: <Time seconds={expiresAt} /> },
      ]}
      actions={
        !isOwn && (
          <Button
            kind="quiet"
            size="small"
            icon="signOut"
            aria-label={`End session ${id}`}
            onClick={() => (asking.value = true)}
          >
            End session
          </Button>
        )
      }
    >
      {asking.value && (
        <ConfirmDialog
          title={keyName === null ? 'End this session?' : `End the session of “${keyName}”?`}
          confirm="End session"
          back="Back"
          danger
          onConfirm={end}
          onClose={() => (asking.value = false)}
        >
          <p>
            {keyId === null
              ? 'The operator is signed out at once and needs a new link or a key to sign in again.'
              : 'The operator is signed out at once. The key still works; revoke it to keep the operator out.'}
          </p>
        </ConfirmDialog>
      )}
    </RecordCard>
  );
}
