// A button with an optional icon. While `busy`, it keeps its size and cannot be pressed again.
import type { ComponentChildren, ButtonHTMLAttributes } from 'preact';
import { Icon, type IconName } from './icon';

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon'> {
  kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  size?: 'small' | 'normal' | 'large';
  icon?: IconName;
  busy?: boolean;
  children?: ComponentChildren;
}

export function Button({
  kind = 'plain',
  size = 'normal',
  icon,
  busy = false,
  children,
  disabled,
  ...rest
}: ButtonProps) {
  return (
    <button type="button" {...rest} class={`button ${kind} ${size}`} disabled={busy || disabled} aria-busy={busy}>
      {busy ? <span class="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children && <span>{children}</span>}
    </button>
  );
}
