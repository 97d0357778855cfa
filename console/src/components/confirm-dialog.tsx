// Asks before something that cannot be undone, and shows why it failed.
import type { ComponentChildren } from 'preact';
import { useSignal } from '@preact/signals';
import { asApiError, type ApiError } from '../api/error';
import { Button } from './button';
import { Dialog } from './dialog';
import { ErrorBox } from './error-box';

interface ConfirmDialogProps {
  title: string;
  confirm: string;
  // The button that changes nothing.
  back?: string;
  danger?: boolean;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  children: ComponentChildren;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, confirm, danger = false, onConfirm, onClose, children } = props;
  const busy = useSignal(false);
  const error = useSignal<ApiError | null>(null);
  const run = async () => {
    busy.value = true;
    error.value = null;
    try {
      await onConfirm();
      onClose();
    } catch (failure) {
      error.value = asApiError(failure);
      busy.value = false;
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{props.back ?? (danger ? 'Keep' : 'Cancel')}</Button>
          <Button kind={danger ? 'danger' : 'primary'} busy={busy.value} onClick={run}>
            {confirm}
          </Button>
        </>
      }
    >
      {children}
      {error.value && <ErrorBox error={error.value} />}
    </Dialog>
  );
}
