// The player: play, position, speed and the waveform. It stays in view while the page scrolls.
import { useComputed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { IconButton } from '../../components/icon-button';
import { formatDecimal } from '../../format/numbers';
import { formatPosition } from '../../format/time';
import type { Player } from './player';
import { Waveform } from './waveform';
import type { WaveformPicture } from './waveform-drawing';

const rates = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 3];

interface PlayerBarProps {
  player: Player;
  picture: WaveformPicture;
}

export function PlayerBar({ player, picture }: PlayerBarProps) {
  const position = useComputed(() => formatPosition(player.time.value));
  usePlayerKeys(player);
  return (
    <section class="player" aria-label="Recording">
      <IconButton
        icon={player.playing.value ? 'pause' : 'play'}
        filled={!player.playing.value}
        label={player.playing.value ? 'Pause (space)' : 'Play (space)'}
        onClick={() => player.toggle()}
      />
      <Waveform player={player} picture={picture} />
      <div class="player-side">
        <span class="numeric small" style={{ minWidth: widthOf(picture.duration) }}>
          {position} <span class="soft">/ {formatPosition(picture.duration)}</span>
        </span>
        <select
          aria-label="Playback speed"
          value={String(player.rate.value)}
          onChange={(event) => player.setRate(Number(event.currentTarget.value))}
        >
          {rates.map((rate) => (
            <option key={rate} value={String(rate)} selected={rate === player.rate.value}>
              {formatDecimal(rate)}×
            </option>
          ))}
        </select>
      </div>
    </section>
  );
}

// Room for the longest position, so that the waveform keeps its width when the first hour is over.
const widthOf = (duration: number): string => `max(7.2rem, ${2 * formatPosition(duration).length + 3}ch)`;

// Space plays and pauses, and the arrow keys move, unless a control has the focus that uses these keys itself.
function usePlayerKeys(player: Player): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target instanceof Element ? event.target : null;
      if (target?.closest('input, textarea, select, button, a, summary, dialog, [role=tab], [role=slider]')) return;
      if (event.key === ' ') player.toggle();
      else if (event.key === 'ArrowLeft') player.seek(player.time.peek() - 5);
      else if (event.key === 'ArrowRight') player.seek(player.time.peek() + 5);
      else return;
      event.preventDefault();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [player]);
}
