// The job as programs see it: raw JSON, events and webhook deliveries.
import { CopyButton } from '../../components/copy-button';
import { JsonTree } from '../../components/json-tree';
import { Link } from '../../components/link';
import { EventLog } from './event-log';
import type { JobStore } from './job-store';

export function DeveloperTab({ store }: { store: JobStore }) {
  const job = { ...store.job.value, result: store.ownResult.value };
  return (
    <div class="stack">
      <p class="small">
        <Link to="/webhooks" query={{ tab: 'deliveries', job_id: store.jobId }}>
          Webhook deliveries of this job
        </Link>
      </p>
      <RawJson title="Job" note={`GET /v1/jobs/${store.jobId}`} value={job} />
      <RawJson title="Steps" note={`GET /v1/jobs/${store.jobId}/steps`} value={store.steps.value} />
      <EventLog project={store.project} jobId={store.jobId} />
    </div>
  );
}

function RawJson({ title, note, value }: { title: string; note: string; value: unknown }) {
  return (
    <section class="card" aria-label={title}>
      <div class="row between">
        <h2>{title}</h2>
        <code class="soft">{note}</code>
        <span class="space" />
        <CopyButton text={() => JSON.stringify(value, null, 2)} label="Copy JSON" />
      </div>
      <div class="json">
        <JsonTree value={value} open />
      </div>
    </section>
  );
}
