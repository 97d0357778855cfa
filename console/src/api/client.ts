// Requests to the API of this server: adds the console header, reads JSON, and turns failures into ApiError.
import { earlyJson, earlyResponses } from './early';
import { errorFromBody, throwConnectionError } from './error';

export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  query?: Record<string, string | number | null | undefined>;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

type Listener = () => void;
let onSessionLost: Listener = () => undefined;

// The session registers what happens when the server no longer accepts the cookie.
export function whenSessionIsLost(listener: Listener): void {
  onSessionLost = listener;
}

export function sessionLost(status: number, path: string): void {
  if (status === 401 && path !== '/console/v1/session') onSessionLost();
}

export async function request(path: string, options: RequestOptions = {}): Promise<Response> {
  const method = options.method ?? 'GET';
  const headers = new Headers(options.headers);
  if (method !== 'GET') headers.set('X-Auris-Console', '1');
  const init: RequestInit = { method, headers, credentials: 'same-origin', signal: options.signal ?? null };
  if (options.body instanceof FormData) {
    init.body = options.body;
  } else if (options.body !== undefined) {
    headers.set('Content-Type', 'application/json');
    init.body = JSON.stringify(options.body);
  }
  const url = path + queryText(options.query);
  const early = isRead(options) ? earlyResponses.take(url) : null;
  // Without an early answer nothing is awaited before the request, so that the first ones are sent while the pages start.
  const response = (early && (await early)) ?? (await fetch(url, init).catch(throwConnectionError));
  if (response.ok) return response;
  sessionLost(response.status, path);
  throw errorFromBody(response.status, await response.text(), response.headers);
}

export async function requestJson<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const early = isRead(options) ? earlyJson.take(path + queryText(options.query)) : null;
  const answer = early && (await early);
  if (answer !== null) return answer as T;
  const response = await request(path, options);
  return (await response.json()) as T;
}

export function queryText(query: RequestOptions['query']): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== null && value !== undefined && value !== '') parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text ? `?${text}` : '';
}

const isRead = ({ method = 'GET' }: RequestOptions): boolean => method === 'GET';
