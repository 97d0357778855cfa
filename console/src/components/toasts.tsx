// Short messages about what just happened, read by screen readers. Good news is gone after a few seconds; bad news stays
// until it is dismissed.
import { signal } from '@preact/signals';
import { Icon } from './icon';
import { IconButton } from './icon-button';
import { LiteralText } from './literal-text';

interface Toast {
  id: number;
  text: string;
  kind: 'good' | 'bad';
}

// How long a message stays: long enough to read two lines.
const TOAST_MS = 5000;

const toasts = signal<Toast[]>([]);
let nextId = 1;

export function showToast(text: string, kind: Toast['kind'] = 'good'): void {
  const toast = { id: nextId++, text, kind };
  // The same bad news twice is one message.
  const others = toasts.value.filter((entry) => entry.text !== text);
  toasts.value = [...others.slice(-2), toast];
  if (kind === 'good') setTimeout(() => dismiss(toast), TOAST_MS);
}

function dismiss(toast: Toast): void {
  toasts.value = toasts.value.filter((entry) => entry.id !== toast.id);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((toast) => (
        <div key={toast.id} class={`toast ${toast.kind}`}>
          <Icon name={toast.kind === 'good' ? 'check' : 'alert'} />
          <span>
            <LiteralText text={toast.text} />
          </span>
          {toast.kind === 'bad' && <IconButton icon="close" label="Dismiss" onClick={() => dismiss(toast)} />}
        </div>
      ))}
    </div>
  );
}
