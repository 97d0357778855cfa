// A long list of rows of different heights that scrolls with the page. Only rows near the view are in the page.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { RowHeights } from './row-heights';

export interface VirtualListHandle {
  scrollTo: (index: number) => void;
  isVisible: (index: number) => boolean;
}

interface VirtualListProps {
  label: string;
  count: number;
  // The expected height of a row in pixels, used until the row was in the page.
  estimate: (index: number, width: number) => number;
  // The heights are measured anew when this changes.
  version: unknown;
  renderRow: (index: number) => ComponentChildren;
  handle: { current: VirtualListHandle | null };
  // Pixels at the top of the window that fixed bars cover.
  covered: () => number;
}

// Pixels above and below the view that are also in the page, so that fast scrolling shows no gaps.
const MARGIN = 700;

export function VirtualList({ label, count, estimate, version, renderRow, handle, covered }: VirtualListProps) {
  const frame = useRef<HTMLDivElement>(null);
  const heights = useMemo(
    () => new RowHeights(count, (index) => estimate(index, frame.current?.clientWidth ?? 700)),
    [version],
  );
  heights.resize(count);
  const range = useSignal({ first: 0, end: Math.min(count, 12) });
  const [, redraw] = useState(0);

  const update = () => {
    if (!frame.current) return;
    const top = -frame.current.getBoundingClientRect().top;
    const first = heights.indexAt(top - MARGIN);
    const end = Math.min(heights.count, heights.indexAt(top + window.innerHeight + MARGIN) + 1);
    if (first !== range.peek().first || end !== range.peek().end) range.value = { first, end };
  };

  handle.current = {
    scrollTo: (index) => {
      if (!frame.current) return;
      const top = frame.current.getBoundingClientRect().top + window.scrollY + heights.top(index);
      window.scrollTo({ top: top - covered() - 60 });
      update();
    },
    isVisible: (index) => {
      const top = (frame.current?.getBoundingClientRect().top ?? 0) + heights.top(index);
      return top > covered() - 20 && top < window.innerHeight - 80;
    },
  };

  useEffect(() => {
    window.addEventListener('scroll', update, { passive: true });
    window.addEventListener('resize', update);
    return () => {
      window.removeEventListener('scroll', update);
      window.removeEventListener('resize', update);
    };
  }, [heights]);
  useLayoutEffect(update, [heights, count]);

  const { first, end } = range.value;
  const last = Math.min(end, count);
  useRowMeasuring(frame, heights, () => {
    redraw((times) => times + 1);
    update();
  });
  return (
    <div ref={frame} class="virtual-list" role="list" aria-label={label} style={{ height: `${heights.total}px` }}>
      <div style={{ transform: `translateY(${heights.top(Math.min(first, last))}px)` }}>
        {Array.from({ length: Math.max(0, last - first) }, (_, offset) => {
          const index = first + offset;
          return (
            <div key={index} role="listitem" aria-setsize={count} aria-posinset={index + 1} data-row={index}>
              {renderRow(index)}
            </div>
          );
        })}
      </div>
    </div>
  );
}

// Measures the rows in the page after each change. A row above the view that changed moves the view with it.
function useRowMeasuring(frame: { current: HTMLDivElement | null }, heights: RowHeights, onChange: () => void): void {
  const report = useRef(onChange);
  report.current = onChange;
  const observer = useMemo(
    () =>
      new ResizeObserver((entries) => {
        let moved = 0;
        let any = false;
        for (const entry of entries) {
          const element = entry.target as HTMLElement;
          if (!element.isConnected) continue;
          const index = Number(element.dataset.row);
          const difference = heights.set(index, element.offsetHeight);
          if (difference === 0) continue;
          any = true;
          if (element.getBoundingClientRect().bottom < 0) moved += difference;
        }
        if (moved !== 0) window.scrollBy(0, moved);
        if (any) report.current();
      }),
    [heights],
  );
  useLayoutEffect(() => {
    frame.current?.querySelectorAll('[data-row]').forEach((row) => observer.observe(row));
    return () => observer.disconnect();
  });
}
