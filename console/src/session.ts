// Who is signed in, and which project the pages show.
import { computed, effect, signal } from '@preact/signals';
import { requestJson, whenSessionIsLost } from './api/client';
import { asApiError, type ApiError } from './api/error';
import type { List, Session } from './api/types';
import { address, href, navigate, query, route } from './router';

export const session = signal<Session | null>(null);
export const sessionError = signal<ApiError | null>(null);
export const projectNames = signal<string[]>([]);
// Whether somebody was signed in who no longer is.
export const sessionEnded = signal(false);

// The role and project that signed in last in this tab.
let lastVisitor: string | null = null;
export let isLeaving = false;

export const isOperator = computed(() => session.value?.role === 'operator');
// A key without the scope `write` only shows what there is.
export const canWrite = computed(() => session.value?.scopes.includes('write') ?? true);
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
    if (failure.code === 'expired_session') sessionEnded.value = true;
    if (failure.status === 401) goToSignIn();
    else sessionError.value = failure;
  }
}

// Somebody else must not find what is in this tab, such as the started transcriptions, so the console starts again.
export async function signIn(credential: { key: string } | { link: string }): Promise<void> {
  const accepted = await requestJson<Session>('/console/v1/session', { method: 'POST', body: credential });
  if (lastVisitor !== null && lastVisitor !== visitorOf(accepted)) return startAgainAt(pageAfterSignIn());
  await accept(accepted);
  navigate(pageAfterSignIn(), { replace: true });
}

export async function signOut(): Promise<void> {
  await requestJson('/console/v1/session', { method: 'DELETE' });
  session.value = null;
  startAgainAt('/sign-in');
}

// Leaves the page on purpose: nothing of it stays, and the browser does not ask.
function startAgainAt(target: string): void {
  isLeaving = true;
  location.replace(target);
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
  lastVisitor = visitorOf(accepted);
  sessionEnded.value = false;
  session.value = accepted;
}

const visitorOf = ({ role, project: own }: Session): string => `${role} ${own ?? ''}`;

function defaultProject(names: string[]): string {
  return names.includes('default') ? 'default' : (names[0] ?? 'default');
}

// The sign-in page comes back to the address that asked for it.
function goToSignIn(): void {
  if (session.value) sessionEnded.value = true;
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
