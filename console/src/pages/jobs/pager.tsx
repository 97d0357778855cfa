// Moves through the pages of the list.
import { Button } from '../../components/button';
import { href, navigate, query } from '../../router';
import { newerPage, olderPage, readCursors, writeCursors } from './cursors';

interface PagerProps {
  hasMore: boolean;
  lastId: string | null;
}

export function Pager({ hasMore, lastId }: PagerProps) {
  const cursors = readCursors(query.value.get('after'));
  if (!hasMore && cursors.length === 0) return null;
  return (
    <nav class="row end pager" aria-label="Pages of the list">
      <Button disabled={cursors.length === 0} onClick={() => show(newerPage(cursors))}>
        Newer
      </Button>
      <Button disabled={!hasMore || lastId === null} onClick={() => showOlder(lastId)}>
        Older
      </Button>
    </nav>
  );
}

export function showOlder(lastId: string | null): void {
  if (lastId !== null) show(olderPage(readCursors(query.value.get('after')), lastId));
}

// Each page is an entry in the browser's history.
function show(cursors: string[]): void {
  navigate(href('/jobs', { ...Object.fromEntries(query.value), after: writeCursors(cursors) }));
}
