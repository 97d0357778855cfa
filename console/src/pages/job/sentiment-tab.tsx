// The sentiment of the whole recording, and as a curve over time where each utterance was rated.
import { useMemo } from 'preact/hooks';
import type { Sentiment } from '../../api/types';
import { formatDecimal } from '../../format/numbers';
import { formatPosition } from '../../format/time';
import { SentimentChart } from './sentiment-chart';
import { sentimentPoints } from './sentiment-points';

interface SentimentTabProps {
  sentiment: Sentiment;
  utteranceStarts: number[];
  onJump: (seconds: number) => void;
}

export function SentimentTab({ sentiment, utteranceStarts, onJump }: SentimentTabProps) {
  const points = useMemo(() => sentimentPoints(sentiment, utteranceStarts), [sentiment, utteranceStarts]);
  const hasCurve = points.times.length > 1;
  return (
    <div class="stack">
      <p>
        On the whole: <strong>{sentiment.document.label}</strong>{' '}
        <span class="soft numeric">({formatDecimal(sentiment.document.score)} on a scale from −1 to 1)</span>
      </p>
      {hasCurve && <SentimentChart points={points} label={curveText(points)} onJump={onJump} />}
      {hasCurve && <p class="hint">{curveText(points)} Click the curve to play from there.</p>}
      {!hasCurve && sentiment.granularity === 'document' && (
        <p class="hint">To see the sentiment over time, run it again with a rating for each utterance.</p>
      )}
    </div>
  );
}

function curveText({ times, scores }: { times: number[]; scores: number[] }): string {
  const lowest = scores.indexOf(Math.min(...scores));
  const highest = scores.indexOf(Math.max(...scores));
  if (lowest === highest) return 'It stays the same.';
  return `Best at ${formatPosition(times[highest] ?? 0)}, worst at ${formatPosition(times[lowest] ?? 0)}.`;
}
