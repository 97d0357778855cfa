// An address that the console does not have.
import { EmptyState } from '../components/empty-state';
import { Link } from '../components/link';

export function NotFoundPage() {
  return (
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
  );
}
