// Which words belong to which entity.
import type { Entity } from '../../api/types';
import { lastAtMost, type TranscriptModel } from './transcript-model';

export interface EntityMarks {
  // For each word, the number of its entity, or -1.
  entityOfWord: Int32Array;
  // The types in order of frequency; their order decides their colours.
  types: { type: string; count: number }[];
}

export function markEntities(model: TranscriptModel, text: string, entities: Entity[]): EntityMarks {
  const entityOfWord = new Int32Array(model.words.length).fill(-1);
  const convert = codeUnitConverter(text);
  const places = monotonic(model.places);
  const counts = new Map<string, number>();
  entities.forEach((entity, index) => {
    counts.set(entity.type, (counts.get(entity.type) ?? 0) + 1);
    const start = convert(entity.start_char);
    const end = convert(entity.end_char);
    for (
      let word = Math.max(0, lastAtMost(places, start));
      word < places.length && (places[word] ?? end) < end;
      word++
    ) {
      entityOfWord[word] = index;
    }
  });
  const types = [...counts].map(([type, count]) => ({ type, count })).sort((a, b) => b.count - a.count);
  return { entityOfWord, types };
}

// The punctuation at the end of a marked text that is not part of the entity, such as the comma of “Texas,”.
export function punctuationAfter(entity: string, marked: string): string {
  const end = punctuationAtEnd(marked);
  if (end === marked) return '';
  const own = punctuationAtEnd(entity);
  return end.startsWith(own) ? end.slice(own.length) : end;
}

const punctuationAtEnd = (text: string): string => /[.,;:!?…]+$/.exec(text)?.[0] ?? '';

// Words that were not found take the place of the word before, so that the places can be searched.
function monotonic(places: Int32Array): Int32Array {
  const result = new Int32Array(places.length);
  let last = 0;
  places.forEach((place, index) => {
    if (place >= 0) last = place;
    result[index] = last;
  });
  return result;
}

// The API counts Unicode scalar values; strings here count UTF-16 code units. Both agree without surrogate pairs.
function codeUnitConverter(text: string): (scalar: number) => number {
  if (!/[\ud800-\udbff]/.test(text)) return (scalar) => scalar;
  const pairs: number[] = [];
  let scalars = 0;
  for (const character of text) {
    if (character.length === 2) pairs.push(scalars);
    scalars += 1;
  }
  return (scalar) => scalar + lastAtMost(pairs, scalar - 1) + 1;
}
