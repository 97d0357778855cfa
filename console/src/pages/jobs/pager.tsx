// Moves through the pages of the list. The addresses of earlier pages are in the browser's history.
import { useSignal } from '@preact/signals';
import { Button } from '../../components/button';
import { href, navigate, query } from '../../router';

interface PagerProps {
  hasMore: boolean;
  lastId: string | null;
}

export function Pager({ hasMore, lastId }: PagerProps) {
  const earlier = useSignal<(string | null)[]>([]);
  const after = query.value.get('after');
  if (!hasMore && after === null) return null;
  const go = (cursor: string | null) => navigate(href('/jobs', { ...Object.fromEntries(query.value), after: cursor }));
  const next = () => {
    earlier.value = [...earlier.value, after];
    go(lastId);
  };
  const back = () => {
    const target = earlier.value.at(-1) ?? null;
    earlier.value = earlier.value.slice(0, -1);
    go(target);
  };
  return (
    <nav class="row end pager" aria-label="Pages of the list">
      <Button disabled={after === null} onClick={back}>
        Newer
      </Button>
      <Button disabled={!hasMore} onClick={next}>
        Older
      </Button>
    </nav>
  );
}
