// Whether a media query matches now, as a signal.
import { useSignal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';

export function useMediaQuery(query: string): ReadonlySignal<boolean> {
  const list = useMemo(() => matchMedia(query), [query]);
  const matches = useSignal(list.matches);
  useEffect(() => {
    const update = () => (matches.value = list.matches);
    list.addEventListener('change', update);
    return () => list.removeEventListener('change', update);
  }, [list]);
  return matches;
}
