// Keeps a job current until it ends: by its events, or by reading the job while no event stream can be opened.
import type { Connection } from './events';
import { asApiError, type ApiError } from './error';
import { followOrPoll } from './follow-or-poll';
import { eventsPath, isTerminal, readJob } from './jobs';
import type { StreamUse } from './stream-slots';
import type { Job, JobEvent } from './types';

interface JobEventHandlers {
  onEvent: (event: JobEvent) => void;
  // The job as it was read while there was no stream. Without it, the events have to wait for a stream.
  onJob?: (job: Job) => void;
  onConnection?: (connection: Connection) => void;
  onError?: (error: ApiError) => void;
}

export function followJob(project: string, jobId: string, use: StreamUse, handlers: JobEventHandlers): () => void {
  const { onEvent, onJob, onConnection, onError } = handlers;
  const poll = async (signal: AbortSignal) => {
    const job = await readJob(project, jobId, signal);
    onJob?.(job);
    return isTerminal(job.status);
  };
  return followOrPoll({
    path: eventsPath(project, jobId),
    use,
    handlers: {
      onMessage: (message) => {
        try {
          onEvent(JSON.parse(message.data) as JobEvent);
        } catch (error) {
          onError?.(asApiError(error));
        }
      },
      isLast: (message) => isLastEvent(message.event),
      ...(onConnection ? { onConnection } : {}),
      ...(onError ? { onError } : {}),
    },
    ...(onJob ? { poll } : {}),
  });
}

const isLastEvent = (type: string): boolean => /^job\.(completed|failed|cancelled)$/.test(type);

export const isJobEvent = (type: string): boolean =>
  /^job\.(queued|in_progress|progress|cancelling|completed|failed|cancelled)$/.test(type);
