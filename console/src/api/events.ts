// Follows an event stream of the API until its end. A lost connection is opened again after the last event received.
import { request } from './client';
import { ApiError, isAbort } from './error';
import { readMessages, type StreamMessage } from './event-stream';

export type Connection = 'connecting' | 'open' | 'lost' | 'ended';

export interface StreamHandlers {
  onMessage: (message: StreamMessage) => void;
  onConnection?: (connection: Connection) => void;
  onError?: (error: ApiError) => void;
  // The stream is complete when this returns true for a message. Without it, the stream ends when the server ends it.
  isLast?: (message: StreamMessage) => boolean;
}

// First wait before a new connection, doubled after each failure up to the longest wait.
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

// Starts after the event `lastId`, or with the first one.
export function followEvents(path: string, handlers: StreamHandlers, lastId: string | null = null): () => void {
  const controller = new AbortController();
  void follow(path, handlers, lastId, controller.signal);
  return () => controller.abort();
}

async function follow(
  path: string,
  handlers: StreamHandlers,
  firstId: string | null,
  signal: AbortSignal,
): Promise<void> {
  let lastId = firstId;
  let wait = FIRST_WAIT_MS;
  handlers.onConnection?.('connecting');
  while (!signal.aborted) {
    try {
      const response = await request(path, {
        signal,
        headers: { Accept: 'text/event-stream', ...(lastId === null ? {} : { 'Last-Event-ID': lastId }) },
      });
      if (!response.body) return handlers.onConnection?.('ended');
      handlers.onConnection?.('open');
      for await (const message of readMessages(response.body)) {
        if (signal.aborted) return;
        lastId = message.id ?? lastId;
        wait = FIRST_WAIT_MS;
        handlers.onMessage(message);
        if (handlers.isLast?.(message)) return handlers.onConnection?.('ended');
      }
      if (!handlers.isLast) return handlers.onConnection?.('ended');
    } catch (error) {
      if (isAbort(error) || signal.aborted) return;
      if (isPermanent(error)) {
        handlers.onConnection?.('ended');
        return handlers.onError?.(error);
      }
    }
    handlers.onConnection?.('lost');
    await pause(wait, signal);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
}

// A refused request stays refused; a lost connection, a busy server and a broken body are worth another try.
export function isPermanent(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
}

export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
