// The address of the page as signals. Every link keeps `?project=`, so that a copied address opens the same project.
import { computed, signal } from '@preact/signals';

export interface Route {
  page: PageName;
  jobId?: string;
}

export type PageName =
  'transcribe' | 'jobs' | 'job' | 'models' | 'webhooks' | 'usage' | 'projects' | 'system' | 'sign-in' | 'not-found';

const pagesByPath: Record<string, PageName> = {
  '/': 'transcribe',
  '/jobs': 'jobs',
  '/models': 'models',
  '/webhooks': 'webhooks',
  '/usage': 'usage',
  '/projects': 'projects',
  '/system': 'system',
  '/sign-in': 'sign-in',
};

// The state of an entry of the history that `pushQuery` made.
const PUSHED = 'pushed';

export const address = signal(readAddress());
export const path = computed(() => address.value.path);
export const query = computed(() => new URLSearchParams(address.value.search));
export const route = computed(() => matchRoute(path.value));

export function matchRoute(path: string): Route {
  const clean = path.length > 1 ? path.replace(/\/$/, '') : path;
  const job = /^\/jobs\/([^/]+)$/.exec(clean);
  if (!job?.[1]) return { page: pagesByPath[clean] ?? 'not-found' };
  const jobId = decoded(job[1]);
  return jobId === null ? { page: 'not-found' } : { page: 'job', jobId };
}

// Null if the part of the address is not correctly encoded, as in `/jobs/%`.
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

// Builds an address inside the console that keeps the project.
export function href(target: string, changes: Record<string, string | null> = {}): string {
  const parameters = new URLSearchParams();
  const project = query.value.get('project');
  if (project) parameters.set('project', project);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') parameters.delete(name);
    else parameters.set(name, value);
  }
  const text = parameters.toString();
  return text ? `${target}?${text}` : target;
}

export function navigate(target: string, options: { replace?: boolean } = {}): void {
  if (options.replace) history.replaceState(history.state, '', target);
  else history.pushState(null, '', target);
  showAddress();
}

function showAddress(): void {
  const before = address.value.path;
  address.value = readAddress();
  if (address.value.path !== before) window.scrollTo(0, 0);
}

// Changes parameters of the current address without a new page, such as those of a filter.
export function setQuery(changes: Record<string, string | null>): void {
  navigate(changedAddress(changes), { replace: true });
}

// As `setQuery`, with an entry in the browser's history, so that “Back” returns to the previous tab.
export function pushQuery(changes: Record<string, string | null>): void {
  const target = changedAddress(changes);
  if (target === location.pathname + location.search) return;
  history.pushState(PUSHED, '', target);
  showAddress();
}

// Undoes `pushQuery`, and changes the parameters if the address was opened with them.
export function undoQuery(changes: Record<string, string | null>): void {
  if (history.state === PUSHED) history.back();
  else setQuery(changes);
}

function changedAddress(changes: Record<string, string | null>): string {
  const parameters = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') parameters.delete(name);
    else parameters.set(name, value);
  }
  const text = parameters.toString();
  return location.pathname + (text ? `?${text}` : '');
}

window.addEventListener('popstate', () => (address.value = readAddress()));

function readAddress(): { path: string; search: string } {
  return { path: location.pathname, search: location.search };
}
