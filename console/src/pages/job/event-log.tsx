// The events of a job, loaded on request. The newest are first; only some are in the page at a time.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { followJob } from '../../api/job-events';
import type { ApiError } from '../../api/error';
import type { JobEvent } from '../../api/types';
import { Button } from '../../components/button';
import { ErrorBox } from '../../components/error-box';
import { JsonTree } from '../../components/json-tree';
import { formatInteger } from '../../format/numbers';
import { formatClock } from '../../format/time';

const EVENTS_SHOWN = 100;

interface EventLogProps {
  project: string;
  jobId: string;
}

export function EventLog({ project, jobId }: EventLogProps) {
  const events = useSignal<JobEvent[]>([]);
  const shown = useSignal(EVENTS_SHOWN);
  const started = useSignal(false);
  const error = useSignal<ApiError | null>(null);
  const stop = useRef<() => void>(() => undefined);
  useEffect(() => () => stop.current(), []);
  const start = () => {
    started.value = true;
    stop.current = followJob(project, jobId, 'page', {
      onEvent: (event) => (events.value = [event, ...events.value]),
      onError: (failure) => (error.value = failure),
    });
  };
  return (
    <section class="card" aria-label="Events">
      <div class="row between">
        <h2>Events</h2>
        <code class="soft">{`GET /v1/jobs/${jobId}/events`}</code>
        <span class="space" />
        {started.value ? (
          <span class="soft small" role="status">
            {formatInteger(events.value.length)} received
          </span>
        ) : (
          <Button size="small" onClick={start}>
            Load the events
          </Button>
        )}
      </div>
      {error.value && <ErrorBox error={error.value} />}
      <div class="json">
        {events.value.slice(0, shown.value).map((event) => (
          <JsonTree
            key={event.sequence}
            name={`${event.sequence} ${formatClock(event.created_at)} ${event.type}`}
            value={event}
          />
        ))}
      </div>
      {events.value.length > shown.value && (
        <Button size="small" onClick={() => (shown.value += EVENTS_SHOWN)}>
          Show older events
        </Button>
      )}
    </section>
  );
}
