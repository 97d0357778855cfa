// Shows a secret once. Closing without copying it asks again, because it cannot be shown a second time.
import type { ComponentChildren } from 'preact';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { copyText } from '../copy-text';
import { Button } from './button';
import { Dialog } from './dialog';
import { Notice } from './notice';

interface SecretDialogProps {
  title: string;
  label: string;
  secret: string;
  onClose: () => void;
  children?: ComponentChildren;
}

export function SecretDialog({ title, label, secret, onClose, children }: SecretDialogProps) {
  const state = useSignal<'new' | 'copied' | 'failed' | 'leaving'>('new');
  const group = useRef<HTMLDivElement>(null);
  useEffect(() => group.current?.querySelector('button')?.focus(), []);
  const copy = async () => {
    state.value = (await copyText(secret)) ? 'copied' : 'failed';
  };
  const close = () => {
    if (state.value === 'new') state.value = 'leaving';
    else onClose();
  };
  return (
    <Dialog title={title} onClose={close} footer={<SecretFooter leaving={state.value === 'leaving'} onClose={close} />}>
      <p>
        Copy it now and keep it in a safe place. <strong>It is not shown again.</strong>
      </p>
      <div class="secret" role="group" aria-label={label} ref={group}>
        <code>{secret}</code>
        <Button kind="primary" icon={state.value === 'copied' ? 'check' : 'copy'} onClick={copy}>
          <span aria-live="polite">{state.value === 'copied' ? 'Copied' : 'Copy'}</span>
        </Button>
      </div>
      {state.value === 'failed' && (
        <Notice kind="warn">The browser refused to copy. Select the text and copy it.</Notice>
      )}
      {state.value === 'leaving' && <Notice kind="warn">You have not copied it yet. After closing, it is gone.</Notice>}
      {children}
    </Dialog>
  );
}

function SecretFooter({ leaving, onClose }: { leaving: boolean; onClose: () => void }) {
  return <Button onClick={onClose}>{leaving ? 'Close without copying' : 'Done'}</Button>;
}
