// The frame of every page: the bar, the navigation at the side (a drawer on narrow screens) and the content.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Brand } from '../components/brand';
import { READ_ONLY } from '../components/button';
import { IconButton } from '../components/icon-button';
import { isPlainClick } from '../components/link';
import { Notice } from '../components/notice';
import { address, href, navigate, route } from '../router';
import { isDragging, useDroppedFiles } from '../pages/transcribe/dropped-files';
import { canWrite, session } from '../session';
import { switchTheme, theme } from '../theme';
import { Navigation } from './navigation';
import { ProjectSwitcher } from './project-switcher';
import { SignOut, visitorName } from './sign-out';

export function Frame({ children }: { children: ComponentChildren }) {
  const menuOpen = useSignal(false);
  const menuButton = useRef<HTMLSpanElement>(null);
  const closeMenu = () => (menuOpen.value = false);
  useCloseOnEscape(() => {
    if (menuOpen.peek()) menuButton.current?.querySelector('button')?.focus();
    closeMenu();
  });
  useDroppedFiles();
  useFocusOnNewPage(address.value.path);
  return (
    <div class={menuOpen.value ? 'frame menu-open' : 'frame'}>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="bar">
        <span class="menu-button" ref={menuButton}>
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
        <SignOut />
      </header>
      <nav id="sidebar" class="sidebar" aria-label="Pages">
        <Navigation onNavigate={closeMenu} />
        <p class="version">
          Auris {session.value?.server.version}
          <span class="role-narrow">{visitorName()}</span>
        </p>
      </nav>
      {isDragging.value && route.value.page !== 'transcribe' && (
        <p class="drop-hint">Drop the files to transcribe them</p>
      )}
      <div class="scrim" aria-hidden="true" onClick={closeMenu} />
      <main id="content" class="content" tabIndex={-1} key={address.value.path}>
        {!canWrite.value && <Notice>{READ_ONLY} To change something, sign in with another one.</Notice>}
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
