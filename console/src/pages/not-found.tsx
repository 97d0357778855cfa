// An address that the console does not have.
import { EmptyState } from '../components/empty-state';
import { Link } from '../components/link';
import { PageHeader } from '../components/page-header';

export function NotFoundPage() {
  return (
    <>
      <PageHeader title="Not found" />
      <EmptyState
        icon="search"
        title="There is no such page"
        action={
          <Link to="/" class="button primary">
            Go to Transcribe
          </Link>
        }
      >
        The address may be misspelled.
      </EmptyState>
    </>
  );
}
