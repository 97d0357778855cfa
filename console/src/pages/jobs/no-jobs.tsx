// An empty page of the list, and what to do about it.
import { EmptyState } from '../../components/empty-state';
import { Link } from '../../components/link';
import { query } from '../../router';
import { hasFilter } from './filter';

export function NoJobs() {
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
