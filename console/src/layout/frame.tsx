// The frame of every page: the bar, the navigation at the side (a drawer on narrow screens) and the content.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Brand } from '../components/brand';
import { IconButton } from '../components/icon-button';
import { isPlainClick } from '../components/link';
import { showToast } from '../components/toasts';
import { asApiError } from '../api/error';
import { address, href, navigate } from '../router';
import { session, signOut } from '../session';
import { switchTheme, theme } from '../theme';
import { Navigation } from './navigation';
import { ProjectSwitcher } from './project-switcher';

export function Frame({ children }: { children: ComponentChildren }) {
  const menuOpen = useSignal(false);
  const closeMenu = () => (menuOpen.value = false);
  useCloseOnEscape(closeMenu);
  useFocusOnNewPage(address.value.path);
  return (
    <div class={menuOpen.value ? 'frame menu-open' : 'frame'}>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="bar">
        <span class="menu-button">
          <IconButton
            icon="menu"
            label="Menu"
            aria-expanded={menuOpen.value}
            aria-controls="sidebar"
            onClick={() => (menuOpen.value = !menuOpen.value)}
          />
        </span>
        <Brand href={href('/')} onClick={goHome} />
        <span class="space" />
        <ProjectSwitcher />
        <IconButton
          icon={theme.value === 'dark' ? 'moon' : 'sun'}
          label="Switch between light and dark"
          onClick={switchTheme}
        />
        <IconButton icon="signOut" label="Sign out" onClick={leave} />
      </header>
      <nav id="sidebar" class="sidebar" aria-label="Pages">
        <Navigation onNavigate={closeMenu} />
        <p class="version">Auris {session.value?.server.version}</p>
      </nav>
      <div class="scrim" aria-hidden="true" onClick={closeMenu} />
      <main id="content" class="content" tabIndex={-1} key={address.value.path}>
        {children}
      </main>
    </div>
  );
}

function goHome(event: MouseEvent): void {
  if (!isPlainClick(event)) return;
  event.preventDefault();
  navigate(href('/'));
}

function leave(): void {
  signOut().catch((error: unknown) => showToast(asApiError(error).message, 'bad'));
}

// A new page starts at its content, so that screen readers announce it.
function useFocusOnNewPage(path: string): void {
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    document.getElementById('content')?.focus({ preventScroll: true });
  }, [path]);
}

function useCloseOnEscape(close: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key === 'Escape') close();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
}
