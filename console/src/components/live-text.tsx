// The text of a running transcription. It follows the end unless the reader scrolls back.
import { useEffect, useRef } from 'preact/hooks';
import type { Segment } from '../api/types';

// Segments kept in the page. The whole text is on the page of the job.
const SEGMENTS_SHOWN = 120;

export function LiveText({ segments }: { segments: Segment[] }) {
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  useEffect(() => {
    if (box.current && follows.current) box.current.scrollTop = box.current.scrollHeight;
  }, [segments.length]);
  const shown = segments.slice(-SEGMENTS_SHOWN);
  return (
    <div
      class="live-text"
      ref={box}
      role="log"
      aria-label="Text so far"
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the text scrolls, also with the keyboard
      tabIndex={0}
      onScroll={(event) => {
        const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
        follows.current = scrollTop + clientHeight > scrollHeight - 24;
      }}
    >
      {segments.length > shown.length && <p class="soft small">The beginning is on the page of the job.</p>}
      <p>
        {shown.map((segment, index) => (
          <span key={segment.id ?? index}>{segment.text.trim()} </span>
        ))}
      </p>
    </div>
  );
}
