// Light or dark: the system's choice until the reader picks one. The choice is shared with the documentation.
import { signal } from '@preact/signals';

export type Theme = 'light' | 'dark';

const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

export const theme = signal<Theme>(current());

export function applyStoredTheme(): void {
  const stored = readStored();
  if (stored) document.documentElement.dataset.theme = stored;
  theme.value = current();
}

export function switchTheme(): void {
  const next = theme.value === 'dark' ? 'light' : 'dark';
  document.documentElement.dataset.theme = next;
  theme.value = next;
  try {
    localStorage.setItem('theme', next);
  } catch {
    // Without storage, the choice lasts until the page is closed.
  }
}

systemIsDark.addEventListener('change', () => (theme.value = current()));

function current(): Theme {
  return readStored() ?? (systemIsDark.matches ? 'dark' : 'light');
}

function readStored(): Theme | null {
  try {
    const stored = localStorage.getItem('theme');
    return stored === 'light' || stored === 'dark' ? stored : null;
  } catch {
    return null;
  }
}
