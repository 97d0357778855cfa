// A button with an optional icon. While `busy`, it keeps its size and cannot be pressed again.
import type { ComponentChildren, ButtonHTMLAttributes } from 'preact';
import { canWrite } from '../session';
import { Icon, type IconName } from './icon';

export const READ_ONLY = 'This key can only read.';

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon'> {
  kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  size?: 'small' | 'normal' | 'large';
  icon?: IconName;
  busy?: boolean;
  // Whether it changes something, which a key that can only read may not do.
  writes?: boolean;
  children?: ComponentChildren;
}

export function Button({
  kind = 'plain',
  size = 'normal',
  icon,
  busy = false,
  writes = false,
  children,
  disabled,
  ...rest
}: ButtonProps) {
  const refused = writes && !canWrite.value;
  return (
    <button
      type="button"
      {...rest}
      class={`button ${kind} ${size}`}
      title={refused ? READ_ONLY : rest.title}
      disabled={busy || disabled || refused}
      aria-busy={busy}
    >
      {busy ? <span class="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children && <span>{children}</span>}
    </button>
  );
}
