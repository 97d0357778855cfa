// Keeps something current until it ends: by its event stream while there is a slot for it, else by reading it every few
// seconds.
import { followEvents, isPermanent, pause, type StreamHandlers } from './events';
import { isAbort } from './error';
import { streamSlots, type StreamUse } from './stream-slots';

export interface Followed {
  path: string;
  use: StreamUse;
  handlers: StreamHandlers;
  // Reads the current state and returns whether it is final. Without it, nothing is read until there is a slot.
  poll?: (signal: AbortSignal) => Promise<boolean>;
}

// Wait before each read. With many waiting streams it grows, so that all of them together stay below the default limit
// of 600 requests a minute.
const POLL_MS = 3000;
const POLL_MS_PER_WAITING = 300;

// Returns a function that stops it.
export function followOrPoll({ path, use, handlers, poll }: Followed): () => void {
  let lastId: string | null = null;
  let stopReading = () => {};
  let freeSlot = () => {};
  const end = () => {
    stopReading();
    freeSlot();
  };
  const onMessage: StreamHandlers['onMessage'] = (message) => {
    lastId = message.id ?? lastId;
    handlers.onMessage(message);
  };
  const onConnection: StreamHandlers['onConnection'] = (connection) => {
    handlers.onConnection?.(connection);
    if (connection === 'ended') end();
  };
  const watched = { ...handlers, onMessage, onConnection };
  freeSlot = streamSlots.request(use, (hasSlot) => {
    stopReading();
    if (hasSlot) stopReading = followEvents(path, watched, lastId);
    else if (poll) stopReading = startPolling(poll, watched);
  });
  return end;
}

function startPolling(poll: (signal: AbortSignal) => Promise<boolean>, handlers: StreamHandlers): () => void {
  const controller = new AbortController();
  void pollUntilEnd(poll, handlers, controller.signal);
  return () => controller.abort();
}

async function pollUntilEnd(
  poll: (signal: AbortSignal) => Promise<boolean>,
  handlers: StreamHandlers,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await pause(Math.max(POLL_MS, streamSlots.waiting * POLL_MS_PER_WAITING), signal);
    if (signal.aborted) return;
    try {
      const isFinal = await poll(signal);
      if (signal.aborted) return;
      handlers.onConnection?.(isFinal ? 'ended' : 'open');
      if (isFinal) return;
    } catch (error) {
      if (isAbort(error) || signal.aborted) return;
      if (isPermanent(error)) {
        handlers.onConnection?.('ended');
        return handlers.onError?.(error);
      }
      handlers.onConnection?.('lost');
    }
  }
}
