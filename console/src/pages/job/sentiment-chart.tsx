// The sentiment over time as a curve, with its legend. A click plays from there.
import { useMemo } from 'preact/hooks';
import type uPlot from 'uplot';
import { Chart, type ChartStyle } from '../../components/chart';
import { formatScore } from '../../format/numbers';
import { formatPosition } from '../../format/time';
import type { SentimentPoints } from './sentiment-points';

interface SentimentChartProps {
  points: SentimentPoints;
  label: string;
  // Null without a recording.
  onJump: ((seconds: number) => void) | null;
}

export function SentimentChart({ points, label, onJump }: SentimentChartProps) {
  const data = useMemo((): uPlot.AlignedData => [points.times, points.scores, points.means], [points]);
  return (
    <div>
      <Chart
        label={`Sentiment over time. ${label}`}
        height={240}
        data={data}
        options={optionsOf}
        {...(onJump ? { onClick: onJump } : {})}
      />
      <ul class="row small soft sentiment-legend" aria-hidden="true">
        <LegendEntry colour="--wave">Each utterance</LegendEntry>
        <LegendEntry colour="--accent">Average</LegendEntry>
      </ul>
    </div>
  );
}

function LegendEntry({ colour, children }: { colour: string; children: string }) {
  return (
    <li class="row">
      <span class="dot" style={{ background: `var(${colour})` }} />
      {children}
    </li>
  );
}

function optionsOf({ colour, axis, labelWidth }: ChartStyle): Omit<uPlot.Options, 'width' | 'height'> {
  return {
    cursor: { drag: { x: false, y: false }, y: false },
    scales: { x: { time: false }, y: { range: [-1, 1] } },
    axes: [
      { ...axis, size: 30, values: (_, splits) => splits.map(formatPosition) },
      { ...axis, size: labelWidth, values: (_, splits) => splits.map(formatScore) },
    ],
    series: [
      {},
      { stroke: colour('--wave'), width: 1, points: { show: false } },
      { stroke: colour('--accent'), width: 2.5, points: { show: false } },
    ],
  };
}
