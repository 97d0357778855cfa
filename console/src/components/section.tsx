// A part of a page with a heading, and actions at its side.
import type { ComponentChildren } from 'preact';

interface SectionProps {
  title: string;
  intro?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}

export function Section({ title, intro, actions, children }: SectionProps) {
  return (
    <section class="section">
      <div class="section-header">
        <div>
          <h2>{title}</h2>
          {intro && <p class="soft small">{intro}</p>}
        </div>
        {actions && <div class="row">{actions}</div>}
      </div>
      {children}
    </section>
  );
}
