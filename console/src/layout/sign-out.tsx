// Who is signed in, and the button that ends the session. It asks first if something would be lost.
import { useSignal } from '@preact/signals';
import { asApiError } from '../api/error';
import { ConfirmDialog } from '../components/confirm-dialog';
import { IconButton } from '../components/icon-button';
import { showToast } from '../components/toasts';
import { unsent } from '../pages/transcribe/unsent';
import { isOperator, session, signOut } from '../session';

export function SignOut() {
  const asks = useSignal(false);
  const leave = () => {
    if (unsent.value !== null) asks.value = true;
    else signOut().catch((error: unknown) => showToast(`You are still signed in. ${asApiError(error).message}`, 'bad'));
  };
  return (
    <>
      <span class="role cut" title={visitorName()}>
        {visitorName()}
      </span>
      <IconButton icon="signOut" label="Sign out" onClick={leave} />
      {asks.value && (
        <ConfirmDialog
          title="Sign out now?"
          confirm="Sign out"
          back="Stay"
          danger
          onClose={() => (asks.value = false)}
          onConfirm={signOut}
        >
          <p>{unsent.value}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

// The role, and the name of the key; a link has none.
export function visitorName(): string {
  const role = isOperator.value ? 'Operator' : 'Project user';
  const key = session.value?.key_name;
  return key ? `${role} · ${key}` : role;
}
