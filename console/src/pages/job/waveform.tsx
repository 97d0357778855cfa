// The waveform as a slider: click or use the arrow keys to move in the recording.
import { useComputed, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { formatPosition } from '../../format/time';
import { theme } from '../../theme';
import type { Player } from './player';
import { readColours, WaveformDrawing, type WaveformPicture } from './waveform-drawing';

interface WaveformProps {
  player: Player;
  picture: WaveformPicture;
}

// Seconds that one press of an arrow key moves.
const KEY_SECONDS = 5;

export function Waveform({ player, picture }: WaveformProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const latest = useRef(picture);
  latest.current = picture;
  const colours = useRef<ReturnType<typeof readColours> | null>(null);
  const second = useComputed(() => Math.floor(player.time.value));
  const drawing = useRef<WaveformDrawing | null>(null);
  const drawAt = (time: number) => {
    if (!canvas.current) return;
    colours.current ??= readColours(canvas.current);
    drawing.current ??= new WaveformDrawing(canvas.current);
    drawing.current.draw(latest.current, time, colours.current);
  };
  useSignalEffect(() => drawAt(player.time.value));
  const shownTheme = theme.value;
  const drawnTheme = useRef(shownTheme);
  useEffect(() => {
    if (drawnTheme.current !== shownTheme) colours.current = null;
    drawnTheme.current = shownTheme;
    drawAt(player.time.peek());
  }, [picture, shownTheme]);
  useEffect(() => {
    const observer = new ResizeObserver(() => drawAt(player.time.peek()));
    if (canvas.current) observer.observe(canvas.current);
    return () => observer.disconnect();
  }, []);
  const seekTo = (event: PointerEvent) => {
    const { left, width } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    player.seek(((event.clientX - left) / width) * latest.current.duration);
  };
  const titleAt = (event: PointerEvent) => {
    const element = event.currentTarget as HTMLElement;
    const { left, width } = element.getBoundingClientRect();
    const time = ((event.clientX - left) / width) * latest.current.duration;
    const chapter = latest.current.chapters.filter((entry) => entry.start <= time).at(-1);
    element.title = chapter ? `${formatPosition(time)} · ${chapter.title}` : formatPosition(time);
  };
  return (
    <div
      class="waveform"
      role="slider"
      tabIndex={0}
      aria-label="Position in the recording"
      aria-valuemin={0}
      aria-valuemax={Math.round(picture.duration)}
      aria-valuenow={second.value}
      aria-valuetext={`${formatPosition(second.value)} of ${formatPosition(picture.duration)}`}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        seekTo(event);
      }}
      onPointerMove={(event) => (event.buttons === 1 ? seekTo(event) : titleAt(event))}
      onKeyDown={(event) => {
        const target = keyTarget(event.key, player.time.peek(), latest.current.duration);
        if (target === null) return;
        event.preventDefault();
        event.stopPropagation();
        player.seek(target);
      }}
    >
      <canvas ref={canvas} />
    </div>
  );
}

function keyTarget(key: string, time: number, duration: number): number | null {
  if (key === 'ArrowRight' || key === 'ArrowUp') return time + KEY_SECONDS;
  if (key === 'ArrowLeft' || key === 'ArrowDown') return time - KEY_SECONDS;
  if (key === 'PageUp') return time + 60;
  if (key === 'PageDown') return time - 60;
  if (key === 'Home') return 0;
  return key === 'End' ? duration : null;
}
