// What a page shows before there is anything to show, and what to do first.
import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon';

interface EmptyStateProps {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
  action?: ComponentChildren;
}

export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div class="empty-state">
      <span class="empty-icon">
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action && <div class="row center">{action}</div>}
    </div>
  );
}
