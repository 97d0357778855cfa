// One operator key, which can be revoked.
import { revokeOperatorKey, type OperatorKey } from './records';
import { RevocableKey } from './revocable-key';

export function OperatorKeyCard({ operatorKey, onChange }: { operatorKey: OperatorKey; onChange: () => void }) {
  return (
    <RevocableKey
      revocable={operatorKey}
      kind="operator key"
      onRevoke={revokeOperatorKey}
      onChange={onChange}
      warning={
        <>
          Everybody who signed in with <code>{operatorKey.hint}…</code> is signed out, maybe you too. This cannot be
          undone. <code>auris console</code> prints a link to sign in again.
        </>
      }
    />
  );
}
