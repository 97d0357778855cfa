// The transcript follows the playback: the played word is coloured, and its paragraph is kept in view. A jump to another
// position shows its text, also while nothing plays.
import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { VirtualListHandle } from '../../components/virtual-list';
import { PlaybackHighlight } from './playback-highlight';
import type { Player } from './player';
import { lastAtMost, paragraphOfWord } from './transcript-model';
import type { TranscriptState } from './transcript-state';
import { isWordInView } from './view-of-words';

export function usePlayback(
  frame: { current: HTMLDivElement | null },
  state: TranscriptState,
  player: Player | null,
  list: { current: VirtualListHandle | null },
): void {
  const model = state.model.value;
  useEffect(() => {
    const element = frame.current;
    if (!player || !model || !element) return undefined;
    const highlight = new PlaybackHighlight(element, model, player, (paragraph) => {
      if (state.followPlayback.peek() && !list.current?.isVisible(paragraph)) list.current?.scrollTo(paragraph);
    });
    const stopShowing = showSeeks(player, state, (time) => {
      const word = Math.max(0, lastAtMost(model.starts, time));
      if (!isWordInView(element, model, word)) list.current?.scrollTo(Math.max(0, paragraphOfWord(model, word)));
    });
    const stopFollowing = () => {
      if (player.playing.peek()) state.followPlayback.value = false;
    };
    window.addEventListener('wheel', stopFollowing, { passive: true });
    window.addEventListener('touchmove', stopFollowing, { passive: true });
    return () => {
      stopShowing();
      highlight.close();
      window.removeEventListener('wheel', stopFollowing);
      window.removeEventListener('touchmove', stopFollowing);
    };
  }, [player, model]);
}

// Also shows a seek from before the text was there, such as one from the tab of the chapters.
function showSeeks(player: Player, state: TranscriptState, show: (time: number) => void): () => void {
  return effect(() => {
    const seek = player.seeks.value;
    if (seek === state.shownSeek) return;
    state.shownSeek = seek;
    show(player.time.peek());
  });
}
