// Version, uptime and jobs as large numbers.
import { formatInteger, plural } from '../../format/numbers';
import { formatDuration, formatFullDateTime } from '../../format/time';
import type { Overview } from './records';
import { roleText } from './role-words';

const DAY_SECONDS = 86_400;

export function SystemFacts({ overview }: { overview: Overview }) {
  const { jobs } = overview;
  return (
    <dl class="tiles">
      <div class="tile">
        <dt>Version</dt>
        <dd>
          {overview.version}
          <span class="tile-note">{roleText(overview.role)}</span>
        </dd>
      </div>
      <div class="tile">
        <dt>Uptime</dt>
        <dd>
          <span title={formatFullDateTime(overview.started_at)}>{uptimeText(overview.uptime_seconds)}</span>
        </dd>
      </div>
      <div class="tile">
        <dt>Running jobs</dt>
        <dd>
          {formatInteger(jobs.in_progress)}
          {jobs.cancelling > 0 && <span class="tile-note">and {formatInteger(jobs.cancelling)} stopping</span>}
        </dd>
      </div>
      <div class="tile">
        <dt>Queued jobs</dt>
        <dd>{formatInteger(jobs.queued)}</dd>
      </div>
    </dl>
  );
}

function uptimeText(seconds: number): string {
  if (seconds < 2 * DAY_SECONDS) return formatDuration(seconds);
  const hours = Math.floor((seconds % DAY_SECONDS) / 3600);
  return `${plural(Math.floor(seconds / DAY_SECONDS), 'day')}${hours > 0 ? ` ${hours} h` : ''}`;
}
