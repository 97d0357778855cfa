// A short message in the page: information, a warning or a success.
import type { ComponentChildren } from 'preact';
import { Icon } from './icon';

interface NoticeProps {
  kind?: 'info' | 'warn' | 'good' | 'bad';
  children: ComponentChildren;
}

export function Notice({ kind = 'info', children }: NoticeProps) {
  const icon = kind === 'info' ? 'info' : kind === 'good' ? 'check' : 'alert';
  return (
    <div class={`notice ${kind}`} role="status">
      <Icon name={icon} />
      <div class="notice-body">{children}</div>
    </div>
  );
}
