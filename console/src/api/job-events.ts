// Follows the events of a job until its last one.
import { followEvents, type Connection } from './events';
import { asApiError, type ApiError } from './error';
import { eventsPath } from './jobs';
import type { JobEvent } from './types';

interface JobEventHandlers {
  onEvent: (event: JobEvent) => void;
  onConnection?: (connection: Connection) => void;
  onError?: (error: ApiError) => void;
}

const lastTypes = ['job.completed', 'job.failed', 'job.cancelled'];

export function followJob(project: string, jobId: string, handlers: JobEventHandlers): () => void {
  return followEvents(eventsPath(project, jobId), {
    onMessage: (message) => {
      try {
        handlers.onEvent(JSON.parse(message.data) as JobEvent);
      } catch (error) {
        handlers.onError?.(asApiError(error));
      }
    },
    isLast: (message) => lastTypes.includes(message.event),
    ...(handlers.onConnection ? { onConnection: handlers.onConnection } : {}),
    ...(handlers.onError ? { onError: handlers.onError } : {}),
  });
}

export const isJobEvent = (type: string): boolean =>
  /^job\.(queued|in_progress|progress|cancelling|completed|failed|cancelled)$/.test(type);
