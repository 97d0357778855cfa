// The title of a page, with its actions at the side.
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

interface PageHeaderProps {
  title: string;
  intro?: ComponentChildren;
  children?: ComponentChildren;
}

export function PageHeader({ title, intro, children }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${title} · Auris`;
  }, [title]);
  return (
    <header class="page-header">
      <div class="page-title">
        <h1>{title}</h1>
        {intro && <p class="soft">{intro}</p>}
      </div>
      {children && <div class="row">{children}</div>}
    </header>
  );
}
