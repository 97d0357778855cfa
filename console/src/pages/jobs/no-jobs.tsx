// An empty page of the list, and what to do about it.
import { JOBS_PER_SCAN } from '../../api/job-search';
import { Button } from '../../components/button';
import { EmptyState } from '../../components/empty-state';
import { Link } from '../../components/link';
import { plural } from '../../format/numbers';
import { query } from '../../router';
import { hasFilter } from './filter';
import { showOlder } from './pager';

interface NoJobsProps {
  hasMore: boolean;
  lastId: string | null;
}

export function NoJobs({ hasMore, lastId }: NoJobsProps) {
  if (hasMore) return <NoneYet lastId={lastId} />;
  const isFirstPage = !query.value.has('after');
  if (hasFilter.value) {
    return (
      <EmptyState icon="search" title={`No ${isFirstPage ? '' : 'older '}job matches the filters`}>
        Choose other filters, or clear them.
      </EmptyState>
    );
  }
  if (!isFirstPage) return <EmptyState icon="jobs" title="No older jobs" />;
  return (
    <EmptyState
      icon="jobs"
      title="No jobs yet"
      action={
        <Link to="/" class="button primary">
          Transcribe a file
        </Link>
      }
    >
      Upload or record something first. Each file becomes a job in this list.
    </EmptyState>
  );
}

// Only a part of the jobs was compared with the filters.
function NoneYet({ lastId }: { lastId: string | null }) {
  const which = query.value.has('after') ? 'these' : 'the newest';
  return (
    <EmptyState
      icon="search"
      title={`None of ${which} ${plural(JOBS_PER_SCAN, 'job')} matches the filters`}
      action={<Button onClick={() => showOlder(lastId)}>Search older jobs</Button>}
    >
      There are older jobs, which were not searched yet.
    </EmptyState>
  );
}
