// The chapters. With a recording, a click jumps to the start of one.
import type { Chapter } from '../../api/types';
import { formatPosition } from '../../format/time';

interface ChapterListProps {
  chapters: Chapter[];
  // Null without a recording.
  onJump: ((chapter: Chapter) => void) | null;
  withSummaries?: boolean;
}

export function ChapterList({ chapters, onJump, withSummaries = false }: ChapterListProps) {
  return (
    <ol class={withSummaries ? 'chapters full' : 'chapters'}>
      {chapters.map((chapter, index) => (
        <li key={index}>
          {onJump && chapter.start !== null ? (
            <button type="button" onClick={() => onJump(chapter)}>
              <ChapterLine chapter={chapter} />
            </button>
          ) : (
            <div class="chapter-line row">
              <ChapterLine chapter={chapter} />
            </div>
          )}
          {withSummaries && <p>{chapter.summary}</p>}
        </li>
      ))}
    </ol>
  );
}

function ChapterLine({ chapter }: { chapter: Chapter }) {
  return (
    <>
      {chapter.start !== null && <span class="soft numeric small">{formatPosition(chapter.start)}</span>}
      <span class="chapter-title">{chapter.title}</span>
    </>
  );
}
