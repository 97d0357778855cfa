// The transcript follows the playback: the played word is coloured, and its paragraph is kept in view.
import { useEffect } from 'preact/hooks';
import type { VirtualListHandle } from '../../components/virtual-list';
import { PlaybackHighlight } from './playback-highlight';
import type { Player } from './player';
import type { TranscriptModel } from './transcript-model';
import type { TranscriptState } from './transcript-state';

export function usePlayback(
  frame: { current: HTMLDivElement | null },
  model: TranscriptModel,
  state: TranscriptState,
  player: Player | null,
  list: { current: VirtualListHandle | null },
): void {
  useEffect(() => {
    if (!player || !frame.current) return undefined;
    const highlight = new PlaybackHighlight(frame.current, model, player, (paragraph) => {
      if (state.followPlayback.peek() && !list.current?.isVisible(paragraph)) list.current?.scrollTo(paragraph);
    });
    const stopFollowing = () => {
      if (player.playing.peek()) state.followPlayback.value = false;
    };
    window.addEventListener('wheel', stopFollowing, { passive: true });
    window.addEventListener('touchmove', stopFollowing, { passive: true });
    return () => {
      highlight.close();
      window.removeEventListener('wheel', stopFollowing);
      window.removeEventListener('touchmove', stopFollowing);
    };
  }, [player, model]);
}
