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
  danger?: boolean;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  children: ComponentChildren;
}

export function ConfirmDialog({ title, confirm, danger = false, onConfirm, onClose, children }: ConfirmDialogProps) {
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
          <Button onClick={onClose}>{danger ? 'Keep' : 'Cancel'}</Button>
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
