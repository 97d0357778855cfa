// The chapters. A click jumps to the start of one.
import type { Chapter } from '../../api/types';
import { formatPosition } from '../../format/time';

interface ChapterListProps {
  chapters: Chapter[];
  onJump: (chapter: Chapter) => void;
  withSummaries?: boolean;
}

export function ChapterList({ chapters, onJump, withSummaries = false }: ChapterListProps) {
  return (
    <ol class={withSummaries ? 'chapters full' : 'chapters'}>
      {chapters.map((chapter, index) => (
        <li key={index}>
          <button type="button" onClick={() => onJump(chapter)}>
            <span class="soft numeric small">{chapter.start === null ? '' : formatPosition(chapter.start)}</span>
            <span class="chapter-title">{chapter.title}</span>
          </button>
          {withSummaries && <p>{chapter.summary}</p>}
        </li>
      ))}
    </ol>
  );
}
