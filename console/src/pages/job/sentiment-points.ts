// The sentiment of utterances as points over time, with a running mean that shows the direction.
import type { Sentiment } from '../../api/types';

export interface SentimentPoints {
  times: number[];
  scores: number[];
  means: number[];
}

// Utterances on each side that the mean includes.
const REACH = 4;

export function sentimentPoints(sentiment: Sentiment, utteranceStarts: number[]): SentimentPoints {
  const rated = (sentiment.utterances ?? [])
    .map(({ index, score }) => ({ time: utteranceStarts[index] ?? NaN, score }))
    .filter(({ time }) => !Number.isNaN(time))
    .sort((a, b) => a.time - b.time);
  const scores = rated.map(({ score }) => score);
  const means = scores.map((_, index) => {
    const near = scores.slice(Math.max(0, index - REACH), index + REACH + 1);
    return near.reduce((sum, score) => sum + score, 0) / near.length;
  });
  return { times: rated.map(({ time }) => time), scores, means };
}
