// A long list of rows of different heights that scrolls with the page. Only rows near the view are in the page.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { RowHeights } from './row-heights';
import { VirtualRows } from './virtual-rows';

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

// Pixels that stay free between the covered part and a row that was scrolled to.
const SCROLL_GAP = 60;

export function VirtualList({ label, count, estimate, version, renderRow, handle, covered }: VirtualListProps) {
  const frame = useRef<HTMLDivElement>(null);
  const latestEstimate = useRef(estimate);
  latestEstimate.current = estimate;
  const width = useRef(Math.min(window.innerWidth, 700));
  const heights = useMemo(() => new RowHeights((index) => latestEstimate.current(index, width.current)), [version]);
  heights.resize(count);
  const rows = useMemo(() => new VirtualRows(heights), [heights]);
  const range = useSignal(rows.near(0));
  const first = Math.min(range.value.first, count);
  const end = Math.min(range.value.end, count);
  rows.first = first;

  const update = () => {
    if (!frame.current) return;
    const distance = -frame.current.getBoundingClientRect().top;
    if (!rows.cover(range.peek(), distance)) range.value = rows.near(distance);
  };

  handle.current = {
    scrollTo: (index) => {
      if (!frame.current) return;
      const top = frame.current.getBoundingClientRect().top + window.scrollY + heights.top(index);
      window.scrollTo({ top: top - covered() - SCROLL_GAP });
      update();
    },
    isVisible: (index) => {
      const top = (frame.current?.getBoundingClientRect().top ?? 0) + heights.top(index);
      return top > covered() - 20 && top < window.innerHeight - 80;
    },
  };

  const resized = () => {
    if (frame.current && frame.current.clientWidth !== width.current) {
      width.current = frame.current.clientWidth;
      heights.estimateAgain();
      rows.measure(frame.current);
    }
    update();
  };

  // What brings further rows can also add a panel beside the list.
  useLayoutEffect(resized, [heights, count]);
  useLayoutEffect(() => {
    window.addEventListener('scroll', update, { passive: true });
    window.addEventListener('resize', resized);
    return () => {
      window.removeEventListener('scroll', update);
      window.removeEventListener('resize', resized);
    };
  }, [heights]);

  // One layout per change of the rows: their place is written, then their heights are read, then the list's is written.
  useLayoutEffect(() => {
    if (frame.current && rows.measure(frame.current)) update();
  });
  return (
    <div ref={frame} class="virtual-list" role="list" aria-label={label}>
      <div>
        {Array.from({ length: end - first }, (_, offset) => {
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
