// The best and the worst moment of the curve. With a recording, each plays from there.
import { formatPosition } from '../../format/time';
import type { SentimentPoints } from './sentiment-points';

interface SentimentExtremesProps {
  points: SentimentPoints;
  // Null without a recording.
  onJump: ((seconds: number) => void) | null;
}

export function SentimentExtremes({ points, onJump }: SentimentExtremesProps) {
  const { lowest, highest } = extremesOf(points);
  if (lowest === highest) return <>It stays the same.</>;
  return (
    <>
      Best at <Moment seconds={highest} onJump={onJump} />, worst at <Moment seconds={lowest} onJump={onJump} />.
      {onJump && ' Click the curve to play from there.'}
    </>
  );
}

function Moment({ seconds, onJump }: { seconds: number; onJump: SentimentExtremesProps['onJump'] }) {
  const position = formatPosition(seconds);
  if (!onJump) return <>{position}</>;
  return (
    <button type="button" class="text-button" aria-label={`Play from ${position}`} onClick={() => onJump(seconds)}>
      {position}
    </button>
  );
}

export function extremesText(points: SentimentPoints): string {
  const { lowest, highest } = extremesOf(points);
  if (lowest === highest) return 'It stays the same.';
  return `Best at ${formatPosition(highest)}, worst at ${formatPosition(lowest)}.`;
}

function extremesOf({ times, scores }: SentimentPoints): { lowest: number; highest: number } {
  return {
    lowest: times[scores.indexOf(Math.min(...scores))] ?? 0,
    highest: times[scores.indexOf(Math.max(...scores))] ?? 0,
  };
}
