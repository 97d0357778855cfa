// A link inside the console: it changes the page without a reload, and keeps the project.
import type { AnchorHTMLAttributes, ComponentChildren } from 'preact';
import { href, navigate } from '../router';

interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  to: string;
  query?: Record<string, string | null>;
  children: ComponentChildren;
}

export function Link({ to, query = {}, children, onClick, ...rest }: LinkProps) {
  const target = href(to, query);
  return (
    <a
      {...rest}
      href={target}
      onClick={(event) => {
        onClick?.(event);
        if (!isPlainClick(event)) return;
        event.preventDefault();
        navigate(target);
      }}
    >
      {children}
    </a>
  );
}

// Clicks with a modifier key open a tab or a window, as on every page.
export function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}
