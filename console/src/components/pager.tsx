// Moves through the pages of a list.
import { href, navigate, path, query } from '../router';
import { Button } from './button';
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
      <Button
        disabled={!hasMore || lastId === null}
        onClick={() => lastId !== null && show(olderPage(cursors, lastId))}
      >
        Older
      </Button>
    </nav>
  );
}

// Each page is an entry in the browser's history.
function show(cursors: string[]): void {
  navigate(href(path.value, { ...Object.fromEntries(query.value), after: writeCursors(cursors) }));
}
