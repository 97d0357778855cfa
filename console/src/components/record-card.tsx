// One thing of a list: its name, some facts, what can be done with it, and what is going on with it.
import type { ComponentChildren } from 'preact';

export interface Fact {
  label: string;
  value: ComponentChildren;
}

interface RecordCardProps {
  title: ComponentChildren;
  badges?: ComponentChildren;
  subtitle?: ComponentChildren;
  facts: (Fact | null)[];
  actions?: ComponentChildren;
  children?: ComponentChildren;
}

export function RecordCard({ title, badges, subtitle, facts, actions, children }: RecordCardProps) {
  return (
    <li class="record">
      <div class="record-main">
        <div class="record-title">
          <h3>{title}</h3>
          {badges}
        </div>
        {subtitle && <p class="record-subtitle">{subtitle}</p>}
      </div>
      {actions && <div class="record-actions">{actions}</div>}
      <dl class="record-facts">
        {facts.map(
          (fact) =>
            fact && (
              <div key={fact.label}>
                <dt>{fact.label}</dt>
                <dd>{fact.value}</dd>
              </div>
            ),
        )}
      </dl>
      {children && <div class="record-more">{children}</div>}
    </li>
  );
}

interface RecordListProps {
  label: string;
  // A class, for lists whose facts have columns of their own.
  kind?: string;
  children: ComponentChildren;
}

export function RecordList({ label, kind = '', children }: RecordListProps) {
  return (
    <ul class={`records ${kind}`} aria-label={label}>
      {children}
    </ul>
  );
}
