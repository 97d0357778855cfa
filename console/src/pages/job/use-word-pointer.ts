// The pointer over the transcript: the word under it is coloured, and a click moves there. The time of a paragraph plays
// from there.
import { useEffect, useRef } from 'preact/hooks';
import type { Player } from './player';
import type { TranscriptModel } from './transcript-model';
import { WordHighlight } from './word-highlight';
import { wordAtPoint } from './word-places';

interface WordPointer {
  onClick: (event: MouseEvent) => void;
  onPointerMove: (event: PointerEvent) => void;
  onPointerLeave: () => void;
}

export function useWordPointer(
  frame: { current: HTMLDivElement | null },
  model: TranscriptModel,
  player: Player | null,
): WordPointer {
  const highlight = useRef<WordHighlight | null>(null);
  useEffect(() => {
    if (!player || !frame.current) return undefined;
    const shown = new WordHighlight('pointed-word', frame.current, model);
    highlight.current = shown;
    return () => {
      highlight.current = null;
      shown.close();
    };
  }, [player, model]);
  const wordOf = (event: MouseEvent) =>
    frame.current ? wordAtPoint(frame.current, model, event.clientX, event.clientY) : -1;
  return {
    onClick: (event) => {
      if (!player || window.getSelection()?.toString()) return;
      const button = (event.target as Element).closest('[data-word]');
      if (button) return player.playFrom(model.starts[Number(button.getAttribute('data-word'))] ?? NaN);
      const word = wordOf(event);
      if (word >= 0) player.seek(model.starts[word] ?? NaN);
    },
    onPointerMove: (event) => {
      if (event.pointerType === 'mouse') highlight.current?.show(wordOf(event));
    },
    onPointerLeave: () => highlight.current?.show(-1),
  };
}
