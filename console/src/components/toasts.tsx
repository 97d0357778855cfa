// Short messages about what just happened, read by screen readers and gone after a few seconds.
import { signal } from '@preact/signals';
import { Icon } from './icon';
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
  toasts.value = [...toasts.value.slice(-2), toast];
  setTimeout(() => {
    toasts.value = toasts.value.filter((entry) => entry.id !== toast.id);
  }, TOAST_MS);
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
        </div>
      ))}
    </div>
  );
}
