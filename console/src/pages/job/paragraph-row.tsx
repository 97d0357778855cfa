// One paragraph: speaker, time, and its text with entities and search matches marked.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Entity } from '../../api/types';
import { formatPosition } from '../../format/time';
import { entityLook } from './entity-look';
import { punctuationAfter, type EntityMarks } from './entity-marks';
import type { Match } from './text-search';
import type { Paragraph, TranscriptModel } from './transcript-model';

export interface RowMarks {
  entities: Entity[];
  marks: EntityMarks | null;
  // How many speakers have colours of their own.
  speakers: number;
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
        <p>{textOf(model, paragraph, marks)}</p>
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

function textOf(model: TranscriptModel, paragraph: Paragraph, row: RowMarks): ComponentChildren[] {
  const matchClass = matchClasses(paragraph, row);
  const entityOf = (word: number) => row.marks?.entityOfWord[word] ?? -1;
  const parts: ComponentChildren[] = [];
  let word = paragraph.firstWord;
  while (word < paragraph.endWord) {
    const entity = entityOf(word);
    let end = word + 1;
    while (end < paragraph.endWord && entityOf(end) === entity) end += 1;
    if (word > paragraph.firstWord && model.spaces[word] === 1) parts.push(' ');
    const text = textBetween(model, word, end, matchClass);
    if (entity < 0) parts.push(...text);
    else parts.push(...entityMark(row, entity, word, text));
    word = end;
  }
  return parts;
}

type MatchClass = (word: number) => string | undefined;

// The text of these words: one string, interrupted only by matches of the search.
function textBetween(model: TranscriptModel, first: number, end: number, matchClass: MatchClass): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let plain = '';
  for (let word = first; word < end; word++) {
    if (word > first && model.spaces[word] === 1) plain += ' ';
    const match = matchClass(word);
    if (match === undefined) {
      plain += model.words[word] ?? '';
      continue;
    }
    parts.push(plain);
    plain = '';
    parts.push(
      <span key={word} class={match}>
        {model.words[word]}
      </span>,
    );
  }
  parts.push(plain);
  return parts;
}

// The marked entity, and what follows it without a space.
function entityMark(row: RowMarks, entity: number, first: number, text: ComponentChildren[]): ComponentChildren[] {
  const { type = '', text: name = '' } = row.entities[entity] ?? {};
  const place = row.marks?.types.findIndex((entry) => entry.type === type) ?? 0;
  const last = text.at(-1);
  const after = typeof last === 'string' ? punctuationAfter(name, last) : '';
  const marked = typeof last === 'string' ? [...text.slice(0, -1), last.slice(0, last.length - after.length)] : text;
  return [
    <mark key={`entity-${first}`} class={entityLook(place, row.speakers)} title={type}>
      {marked}
    </mark>,
    after,
  ];
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
