// Reads a large JSON answer, and hands over the beginning of one of its lists while the rest is still arriving.
import { throwConnectionError } from './error';

export interface WantedBeginning {
  // The name of the list with the bracket that opens it, as in `"segments":[`. Its entries are objects or lists.
  list: string;
  // Characters of the list that the beginning is made of.
  characters: number;
}

// `onBeginning` is called at most once, and the rest is read when it has finished. It receives the document up to the
// last complete entry of the list, which may be empty.
export async function readJsonWithBeginning<T>(
  response: Response,
  wanted: WantedBeginning,
  onBeginning: (beginning: T) => Promise<void>,
): Promise<T> {
  if (!response.body) return (await response.json()) as T;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let isHandedOver = false;
  for (;;) {
    const { done, value } = await reader.read().catch(throwConnectionError);
    text += decoder.decode(value, { stream: !done });
    if (done) return JSON.parse(text) as T;
    const beginning = isHandedOver ? null : beginningOf(text, wanted);
    if (beginning === null) continue;
    isHandedOver = true;
    await onBeginning(JSON.parse(beginning) as T);
  }
}

// The beginning as a document, or null if too little has arrived. A browser can deliver megabytes at once, so the text
// is cut before it is read.
export function beginningOf(text: string, { list, characters }: WantedBeginning): string | null {
  const place = text.indexOf(list);
  const start = place + list.length;
  if (place < 0 || text.length < start + characters) return null;
  const end = endOfEntries(text.slice(0, start + characters), start);
  return text.slice(0, end) + closingBrackets(text.slice(0, start));
}

// The place behind the last complete entry of a list whose first entry begins at `start`.
function endOfEntries(text: string, start: number): number {
  let end = start;
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth < 0) break;
      if (depth === 0) end = at + 1;
    }
  }
  return end;
}

// The brackets that close everything that is open at the end of the text.
function closingBrackets(text: string): string {
  const closing: string[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '{') closing.push('}');
    else if (character === '[') closing.push(']');
    else if (character === '}' || character === ']') closing.pop();
  }
  return closing.reverse().join('');
}

// The place of the quote that ends the string, or the end of the text.
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, place: number): boolean {
  let backslashes = 0;
  while (text[place - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}
