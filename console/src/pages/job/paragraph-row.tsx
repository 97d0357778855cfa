// One paragraph: speaker, time, and its words with entities and search matches marked.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Entity } from '../../api/types';
import { formatPosition } from '../../format/time';
import type { EntityMarks } from './entity-marks';
import type { Match } from './text-search';
import type { Paragraph, TranscriptModel } from './transcript-model';

export interface RowMarks {
  entities: Entity[];
  marks: EntityMarks | null;
  matches: Match[];
  currentMatch: number;
}

interface ParagraphRowProps {
  model: TranscriptModel;
  paragraph: Paragraph;
  // Empty if the paragraph before has the same speaker.
  speaker: string;
  tone: number;
  marks: RowMarks;
}

export function ParagraphRow({ model, paragraph, speaker, tone, marks }: ParagraphRowProps) {
  return useMemo(
    () => (
      <div class={`paragraph tone-${tone + 1}`}>
        <div class="paragraph-head">
          {speaker && <span class="speaker">{speaker}</span>}
          {!Number.isNaN(paragraph.start) && (
            <button
              type="button"
              class="time-button"
              data-word={paragraph.firstWord}
              aria-label={`Play from ${formatPosition(paragraph.start)}`}
            >
              {formatPosition(paragraph.start)}
            </button>
          )}
        </div>
        <p>{wordsOf(model, paragraph, marks)}</p>
      </div>
    ),
    [model, paragraph, speaker, tone, marks.marks, marks.matches, currentIn(paragraph, marks)],
  );
}

// The number of the current match if it is in this paragraph, so that only its rows are drawn again.
function currentIn(paragraph: Paragraph, { matches, currentMatch }: RowMarks): number {
  const match = matches[currentMatch];
  return match && match.firstWord < paragraph.endWord && match.endWord > paragraph.firstWord ? currentMatch : -1;
}

function wordsOf(model: TranscriptModel, paragraph: Paragraph, row: RowMarks): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  const matchClass = matchClasses(paragraph, row);
  let word = paragraph.firstWord;
  while (word < paragraph.endWord) {
    const entity = row.marks?.entityOfWord[word] ?? -1;
    const space = word > paragraph.firstWord && model.spaces[word] === 1 ? ' ' : '';
    if (space) parts.push(space);
    if (entity < 0) {
      parts.push(wordSpan(model, word, matchClass));
      word += 1;
      continue;
    }
    const end = endOfEntity(row.marks, entity, word, paragraph.endWord);
    parts.push(entityMark(model, row, entity, word, end, matchClass));
    word = end;
  }
  return parts;
}

type MatchClass = (word: number) => string | undefined;

function wordSpan(model: TranscriptModel, word: number, matchClass: MatchClass): ComponentChildren {
  return (
    <span key={word} data-word={word} class={matchClass(word)}>
      {model.words[word]}
    </span>
  );
}

function entityMark(
  model: TranscriptModel,
  row: RowMarks,
  entity: number,
  first: number,
  end: number,
  matchClass: MatchClass,
): ComponentChildren {
  const type = row.entities[entity]?.type ?? '';
  const tone = row.marks?.types.findIndex((entry) => entry.type === type) ?? 0;
  const words: ComponentChildren[] = [];
  for (let word = first; word < end; word++) {
    if (word > first && model.spaces[word] === 1) words.push(' ');
    words.push(wordSpan(model, word, matchClass));
  }
  return (
    <mark key={`entity-${first}`} class={`entity tone-${(tone % 8) + 1}`} title={type}>
      {words}
    </mark>
  );
}

function endOfEntity(marks: EntityMarks | null, entity: number, word: number, limit: number): number {
  let end = word + 1;
  while (end < limit && marks?.entityOfWord[end] === entity) end += 1;
  return end;
}

function matchClasses(paragraph: Paragraph, { matches, currentMatch }: RowMarks): MatchClass {
  const classes = new Map<number, string>();
  matches.forEach((match, index) => {
    if (match.endWord <= paragraph.firstWord || match.firstWord >= paragraph.endWord) return;
    for (let word = match.firstWord; word < match.endWord; word++)
      classes.set(word, index === currentMatch ? 'match current' : 'match');
  });
  return (word) => classes.get(word);
}
