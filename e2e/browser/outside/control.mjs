// Tells the machines around the server what to do next.
import { SHORT_MS, setting } from '../browser.mjs';

export async function control(method, path, body) {
  const response = await fetch(setting('AURIS_OUTSIDE') + path, {
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(SHORT_MS),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  return response.text();
}
