// Calls something again and again while the page is visible, and at once when it becomes visible.
import { useEffect, useRef } from 'preact/hooks';

export function useRefresh(run: () => Promise<unknown>, milliseconds: number, active = true): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    if (!active) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let ended = false;
    // The next wait starts after the answer, so that a slow server is not asked twice at the same time.
    const schedule = () => {
      clearTimeout(timer);
      if (!ended && !document.hidden) timer = setTimeout(() => void tick(), milliseconds);
    };
    const tick = async () => {
      await latest.current();
      schedule();
    };
    const onVisibility = () => {
      clearTimeout(timer);
      if (!document.hidden) void tick();
    };
    schedule();
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      ended = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisibility);
    };
  }, [milliseconds, active]);
}
