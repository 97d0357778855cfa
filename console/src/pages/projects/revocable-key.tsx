// A key with its facts, which can be revoked after a question.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { RecordCard, type Fact } from '../../components/record-card';
import { showToast } from '../../components/toasts';
import { KeyBadge, keyFacts, keyTitle } from './key-words';
import type { OperatorKey } from './records';

interface RevocableKeyProps {
  revocable: OperatorKey;
  // What the key is called in a sentence.
  kind: 'key' | 'operator key';
  facts?: Fact[];
  // What else can be done with a key that works.
  actions?: ComponentChildren;
  // What happens when it is revoked.
  warning: ComponentChildren;
  onRevoke: (keyId: string) => Promise<unknown>;
  onChange: () => void;
  children?: ComponentChildren;
}

export function RevocableKey(props: RevocableKeyProps) {
  const { revocable, kind, facts = [], onRevoke, onChange } = props;
  const asking = useSignal(false);
  const name = keyTitle(revocable);
  const revoke = async () => {
    await onRevoke(revocable.id);
    showToast(`The ${kind} was revoked.`);
    onChange();
  };
  return (
    <RecordCard
      title={name}
      badges={<KeyBadge state={revocable.state} />}
      subtitle={
        <>
          <code>{revocable.hint}…</code> · <code>{revocable.id}</code>
        </>
      }
      facts={[...facts, ...keyFacts(revocable)]}
      actions={
        revocable.state === 'active' && (
          <>
            {props.actions}
            <Button
              kind="quiet"
              size="small"
              icon="trash"
              aria-label={`Revoke ${name}`}
              onClick={() => (asking.value = true)}
            >
              Revoke
            </Button>
          </>
        )
      }
    >
      {props.children}
      {asking.value && (
        <ConfirmDialog
          title={`Revoke the ${kind} “${name}”?`}
          confirm="Revoke"
          danger
          onConfirm={revoke}
          onClose={() => (asking.value = false)}
        >
          <p>{props.warning}</p>
        </ConfirmDialog>
      )}
    </RecordCard>
  );
}
