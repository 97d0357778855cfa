// Copies a text. The text is made when the button is pressed, because it can be large.
import { useSignal } from '@preact/signals';
import { copyText } from '../copy-text';
import { Button } from './button';

interface CopyButtonProps {
  text: string | (() => string);
  label?: string;
}

export function CopyButton({ text, label = 'Copy' }: CopyButtonProps) {
  const state = useSignal<'ready' | 'copied' | 'failed'>('ready');
  const copy = async () => {
    const copied = await copyText(typeof text === 'string' ? text : text());
    state.value = copied ? 'copied' : 'failed';
    setTimeout(() => (state.value = 'ready'), 1600);
  };
  const words = { ready: label, copied: 'Copied', failed: 'Copy failed' }[state.value];
  return (
    <Button kind="quiet" size="small" icon={state.value === 'copied' ? 'check' : 'copy'} onClick={copy}>
      <span aria-live="polite">{words}</span>
    </Button>
  );
}
