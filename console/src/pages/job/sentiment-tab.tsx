// The sentiment of the whole recording, and as a curve over time where each utterance was rated.
import { useMemo } from 'preact/hooks';
import type { Sentiment } from '../../api/types';
import { formatScore } from '../../format/numbers';
import { SentimentChart } from './sentiment-chart';
import { extremesText, SentimentExtremes } from './sentiment-extremes';
import { sentimentPoints } from './sentiment-points';

interface SentimentTabProps {
  sentiment: Sentiment;
  utteranceStarts: number[];
  // Null without a recording.
  onJump: ((seconds: number) => void) | null;
}

export function SentimentTab({ sentiment, utteranceStarts, onJump }: SentimentTabProps) {
  const points = useMemo(() => sentimentPoints(sentiment, utteranceStarts), [sentiment, utteranceStarts]);
  const hasCurve = points.times.length > 1;
  return (
    <div class="stack">
      <p>
        On the whole: <strong>{sentiment.document.label}</strong>{' '}
        <span class="soft numeric">({formatScore(sentiment.document.score)} on a scale from −1 to 1)</span>
      </p>
      {hasCurve && <SentimentChart points={points} label={extremesText(points)} onJump={onJump} />}
      {hasCurve && (
        <p class="hint">
          <SentimentExtremes points={points} onJump={onJump} />
        </p>
      )}
      {!hasCurve && sentiment.granularity === 'document' && (
        <p class="hint">To see the sentiment over time, run it again with a rating for each utterance.</p>
      )}
    </div>
  );
}
