// Where the words of the transcript are in the page. A paragraph is plain text, because a page with an element for each
// of 30,000 words scrolls slowly.
import { characterOfWord, paragraphOfWord, wordAtCharacter, type TranscriptModel } from './transcript-model';

// The word as a range of the page, or null if its row is not in the page.
export function rangeOfWord(frame: HTMLElement, model: TranscriptModel, word: number): Range | null {
  const index = paragraphOfWord(model, word);
  const paragraph = model.paragraphs[index];
  const text = frame.querySelector(`[data-row="${index}"] p`);
  if (!paragraph || !text) return null;
  let offset = characterOfWord(model, paragraph, word);
  for (const node of textNodes(text)) {
    if (offset < node.length) return rangeIn(node, offset, model.words[word]?.length ?? 0);
    offset -= node.length;
  }
  return null;
}

// The word under a point of the window, or -1.
export function wordAtPoint(frame: HTMLElement, model: TranscriptModel, x: number, y: number): number {
  const caret = caretAt(x, y);
  const text = caret?.node.parentElement?.closest('p');
  const row = text?.closest('[data-row]');
  if (!caret || !text || !row || !frame.contains(row)) return -1;
  const paragraph = model.paragraphs[Number(row.getAttribute('data-row'))];
  if (!paragraph) return -1;
  const near = wordAtCharacter(model, paragraph, offsetIn(text, caret));
  // The caret is between two characters, so the point can also be in the word that follows.
  return [near, near + 1].find((word) => covers(rangeOfWord(frame, model, word), x, y)) ?? -1;
}

interface Caret {
  node: Node;
  offset: number;
}

// Safari has only the older of the two functions.
function caretAt(x: number, y: number): Caret | null {
  if ('caretPositionFromPoint' in document) {
    const position = document.caretPositionFromPoint(x, y);
    return position && { node: position.offsetNode, offset: position.offset };
  }
  const range = (document as DocumentWithCaretRange).caretRangeFromPoint(x, y);
  return range && { node: range.startContainer, offset: range.startOffset };
}

interface DocumentWithCaretRange {
  caretRangeFromPoint: (x: number, y: number) => Range | null;
}

function offsetIn(text: Element, caret: Caret): number {
  let offset = caret.offset;
  for (const node of textNodes(text)) {
    if (node === caret.node) break;
    offset += node.length;
  }
  return offset;
}

function* textNodes(element: Element): Generator<Text> {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) yield walker.currentNode as Text;
}

function rangeIn(node: Text, offset: number, length: number): Range {
  const range = document.createRange();
  range.setStart(node, offset);
  range.setEnd(node, Math.min(node.length, offset + length));
  return range;
}

function covers(range: Range | null, x: number, y: number): boolean {
  const boxes = range ? Array.from(range.getClientRects()) : [];
  return boxes.some(({ left, right, top, bottom }) => x >= left && x <= right && y >= top && y <= bottom);
}
