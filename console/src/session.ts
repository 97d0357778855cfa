// Who is signed in, and which project the pages show.
import { computed, effect, signal } from '@preact/signals';
import { requestJson, whenSessionIsLost } from './api/client';
import { asApiError, type ApiError } from './api/error';
import type { List, Session } from './api/types';
import { address, href, navigate, query, route } from './router';

export const session = signal<Session | null>(null);
export const sessionError = signal<ApiError | null>(null);
export const projectNames = signal<string[]>([]);

export const isOperator = computed(() => session.value?.role === 'operator');
// Where programs find `/v1`: here, unless the console has a separate address.
export const apiUrl = computed(() => session.value?.server.api_url ?? location.origin);
export const maxUploadBytes = computed(() => session.value?.server.max_upload_bytes ?? Infinity);

// The project of the address, else the session's own, else the first one.
export const project = computed(
  () => session.value?.project ?? query.value.get('project') ?? defaultProject(projectNames.value),
);

export async function loadSession(): Promise<void> {
  sessionError.value = null;
  try {
    await accept(await requestJson<Session>('/console/v1/session'));
  } catch (error) {
    const failure = asApiError(error);
    if (failure.status === 401) goToSignIn();
    else sessionError.value = failure;
  }
}

export async function signIn(credential: { key: string } | { link: string }): Promise<void> {
  await accept(await requestJson<Session>('/console/v1/session', { method: 'POST', body: credential }));
  navigate(pageAfterSignIn(), { replace: true });
}

export async function signOut(): Promise<void> {
  await requestJson('/console/v1/session', { method: 'DELETE' });
  session.value = null;
  projectNames.value = [];
  navigate('/sign-in', { replace: true });
}

export function chooseProject(name: string): void {
  navigate(href(route.value.page === 'job' ? '/jobs' : address.value.path, { project: name }));
}

export async function loadProjectNames(): Promise<void> {
  const list = await requestJson<List<{ name: string }>>('/console/v1/projects');
  projectNames.value = list.data.map((entry) => entry.name);
}

// An address that names the project needs no list of them; it is loaded when somebody wants to choose another one.
async function accept(accepted: Session): Promise<void> {
  if (accepted.role === 'operator' && !query.value.has('project')) await loadProjectNames();
  session.value = accepted;
}

function defaultProject(names: string[]): string {
  return names.includes('default') ? 'default' : (names[0] ?? 'default');
}

// The sign-in page comes back to the address that asked for it.
function goToSignIn(): void {
  session.value = null;
  if (route.value.page === 'sign-in') return;
  const { path, search } = address.value;
  const target = path === '/' && !search ? '/sign-in' : `/sign-in?next=${encodeURIComponent(path + search)}`;
  navigate(target, { replace: true });
}

// Only addresses of this console are accepted, so that a link cannot send somebody to another site.
function pageAfterSignIn(): string {
  const next = query.value.get('next') ?? '/';
  return /^\/(?![/\\])/.test(next) && !next.startsWith('/sign-in') ? next : '/';
}

whenSessionIsLost(goToSignIn);

// An operator's address names the project, so that it can be copied.
effect(() => {
  if (!isOperator.value || route.value.page === 'sign-in' || query.value.has('project')) return;
  navigate(href(address.value.path, { ...Object.fromEntries(query.value), project: project.value }), { replace: true });
});
