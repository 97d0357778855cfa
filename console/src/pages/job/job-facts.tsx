// The facts of a job below its title.
import type { Job } from '../../api/types';
import { StatusBadge } from '../../components/status-badge';
import { languageName } from '../../format/names';
import { formatUsd, plural } from '../../format/numbers';
import { formatDateTime, formatDuration, formatPosition } from '../../format/time';
import type { JobStore } from './job-store';
import type { JobView } from './job-view';

export function JobFacts({ view, job }: { view: JobView; job: Job }) {
  const { store, picture } = view;
  const language = store.document.value.transcript?.language;
  const seconds = picture.value.duration || Number(store.document.value.transcript?.duration_seconds ?? 0);
  const model = store.steps.value.find((step) => step.key === 'transcription')?.resolved_model;
  const facts: [string, string][] = [];
  if (seconds > 0) facts.push(['Length', formatPosition(seconds)]);
  if (language) facts.push(['Language', languageName(language)]);
  if (model) facts.push(['Model', model]);
  if (job.started_at !== null && job.completed_at !== null)
    facts.push(['Took', formatDuration(job.completed_at - job.started_at)]);
  facts.push(...costFacts(store));
  facts.push(
    job.result_deleted_at === null
      ? ['Kept until', formatDateTime(job.expires_at)]
      : ['Content deleted', formatDateTime(job.result_deleted_at)],
  );
  // The title has the file name.
  for (const [name, value] of Object.entries(job.metadata)) if (name !== 'file') facts.push([name, value]);
  return (
    <dl class="facts job-facts">
      <div>
        <dt>Status</dt>
        <dd>
          <StatusBadge status={job.status} />
        </dd>
      </div>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

// The page shows the results of the analyses too, so it adds their cost.
function costFacts(store: JobStore): [string, string][] {
  const own = store.job.value?.usage;
  if (!own) return [];
  const analyses = store.analysisStores.value.flatMap((analysis) => analysis.job.value?.usage ?? []);
  const total = analyses.reduce((sum, usage) => sum + Number(usage.cost_usd), Number(own.cost_usd));
  const label = analyses.length > 0 ? `Cost with ${plural(analyses.length, 'analysis', 'analyses')}` : 'Cost';
  return [[label, formatUsd(String(total))]];
}
