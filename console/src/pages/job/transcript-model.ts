// The transcript as flat arrays of words and short paragraphs, which is what the page needs for 30,000 words.
import type { Transcript, Word } from '../../api/types';

export interface Paragraph {
  speaker: string | null;
  // Seconds from the start of the recording, or NaN if the transcript has no times.
  start: number;
  firstWord: number;
  endWord: number;
  characters: number;
}

export interface TranscriptModel {
  words: string[];
  starts: Float64Array;
  ends: Float64Array;
  // Where each word begins in the text of the transcript, or -1.
  places: Int32Array;
  // 1 if a space precedes the word.
  spaces: Uint8Array;
  paragraphs: Paragraph[];
  speakers: string[];
  // The start of each utterance, for analyses that refer to utterances by number.
  utteranceStarts: number[];
}

interface Unit {
  text: string;
  speaker?: string | null;
  start?: number;
  end?: number;
  words?: Word[];
}

// Words of a paragraph: it ends after a sentence from SOFT on, after a pause from SHORT on, and at HARD in any case.
const SHORT_WORDS = 25;
const SOFT_WORDS = 60;
const HARD_WORDS = 130;
const PAUSE_SECONDS = 2;

export function buildModel(transcript: Transcript): TranscriptModel {
  const units = unitsOf(transcript);
  const tokens = units.map(tokensOf);
  const count = tokens.reduce((sum, list) => sum + list.length, 0);
  const model: TranscriptModel = {
    words: new Array<string>(count),
    starts: new Float64Array(count),
    ends: new Float64Array(count),
    places: new Int32Array(count),
    spaces: new Uint8Array(count),
    paragraphs: [],
    speakers: [],
    utteranceStarts: (transcript.utterances ?? []).map((utterance) => utterance.start ?? NaN),
  };
  let index = 0;
  units.forEach((unit, at) => {
    const speaker = unit.speaker ?? null;
    if (speaker !== null && !model.speakers.includes(speaker)) model.speakers.push(speaker);
    for (const token of tokens[at] ?? []) {
      model.words[index] = token.word.trim();
      model.starts[index] = token.start;
      model.ends[index] = token.end;
      addToParagraph(model, index, speaker);
      index += 1;
    }
  });
  placeWords(model, transcript.text);
  return model;
}

function unitsOf(transcript: Transcript): Unit[] {
  if (transcript.utterances?.length) return transcript.utterances;
  if (transcript.segments?.length) return transcript.segments;
  return transcript.text ? [{ text: transcript.text }] : [];
}

// Words without times get evenly spread ones, so that a click still jumps close to the place.
function tokensOf(unit: Unit): Pick<Word, 'word' | 'start' | 'end'>[] {
  if (unit.words?.length) return unit.words;
  const words = unit.text.split(/\s+/).filter(Boolean);
  const start = unit.start ?? NaN;
  const step = ((unit.end ?? start) - start) / Math.max(1, words.length);
  return words.map((word, index) => ({ word, start: start + index * step, end: start + (index + 1) * step }));
}

function addToParagraph(model: TranscriptModel, index: number, speaker: string | null): void {
  const last = model.paragraphs.at(-1);
  const length = (model.words[index]?.length ?? 0) + 1;
  if (!last || startsParagraph(model, last, index, speaker)) {
    const start = model.starts[index] ?? NaN;
    model.paragraphs.push({ speaker, start, firstWord: index, endWord: index + 1, characters: length });
    return;
  }
  last.endWord = index + 1;
  last.characters += length;
}

function startsParagraph(model: TranscriptModel, last: Paragraph, index: number, speaker: string | null): boolean {
  if (last.speaker !== speaker) return true;
  const words = index - last.firstWord;
  if (words >= HARD_WORDS) return true;
  if (words < SHORT_WORDS || !/[.!?…。！？]["'”’)]?$/.test(model.words[index - 1] ?? '')) return false;
  const pause = (model.starts[index] ?? NaN) - (model.ends[index - 1] ?? NaN);
  return words >= SOFT_WORDS || pause > PAUSE_SECONDS;
}

// Finds each word in the text, close to the end of the one before, so that the cost stays linear.
function placeWords(model: TranscriptModel, text: string): void {
  let cursor = 0;
  model.words.forEach((word, index) => {
    const place = findNear(text, word, cursor);
    model.places[index] = place;
    model.spaces[index] = place <= 0 || isSpace(text, place - 1) ? 1 : 0;
    if (place >= 0) cursor = place + word.length;
  });
}

const SPACE = 32;

// Almost all are plain spaces, and a search pattern costs more than everything else here.
const isSpace = (text: string, place: number): boolean =>
  text.charCodeAt(place) === SPACE || /\s/.test(text.charAt(place));

const NEAR = 200;

function findNear(text: string, word: string, cursor: number): number {
  if (text.startsWith(word, cursor)) return cursor;
  if (text.startsWith(word, cursor + 1)) return cursor + 1;
  const found = text.slice(cursor, cursor + NEAR).indexOf(word);
  return found < 0 ? -1 : cursor + found;
}

// The last index whose value is not above the wanted one, or -1. Values that are NaN must not occur before it.
export const lastAtMost = (values: ArrayLike<number>, wanted: number): number =>
  lastIndex(values.length, (index) => (values[index] ?? Infinity) <= wanted);

export const paragraphOfWord = (model: TranscriptModel, word: number): number =>
  lastIndex(model.paragraphs.length, (index) => (model.paragraphs[index]?.firstWord ?? Infinity) <= word);

// The last index for which the condition is true, or -1. It must be true for all before that one, and for none after it.
function lastIndex(count: number, condition: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (condition(middle)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

// Where a word begins in the text of its paragraph as it is shown.
export function characterOfWord(model: TranscriptModel, paragraph: Paragraph, word: number): number {
  let offset = 0;
  for (let before = paragraph.firstWord; before < word; before++) {
    offset += (model.words[before]?.length ?? 0) + (model.spaces[before + 1] ?? 0);
  }
  return offset;
}

// The word at a place of the text of a paragraph. The place behind a word belongs to it.
export function wordAtCharacter(model: TranscriptModel, paragraph: Paragraph, offset: number): number {
  let end = 0;
  for (let word = paragraph.firstWord; word < paragraph.endWord; word++) {
    end += model.words[word]?.length ?? 0;
    if (offset <= end) return word;
    end += model.spaces[word + 1] ?? 0;
  }
  return paragraph.endWord - 1;
}
