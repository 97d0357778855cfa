// The sentiment over time as a curve. A click plays from there.
import { useMemo } from 'preact/hooks';
import type uPlot from 'uplot';
import { Chart, type ChartStyle } from '../../components/chart';
import { formatDecimal } from '../../format/numbers';
import { formatPosition } from '../../format/time';
import type { SentimentPoints } from './sentiment-points';

interface SentimentChartProps {
  points: SentimentPoints;
  label: string;
  onJump: (seconds: number) => void;
}

export function SentimentChart({ points, label, onJump }: SentimentChartProps) {
  const data = useMemo((): uPlot.AlignedData => [points.times, points.scores, points.means], [points]);
  return (
    <Chart label={`Sentiment over time. ${label}`} height={240} data={data} options={optionsOf} onClick={onJump} />
  );
}

function optionsOf({ colour, axis, labelWidth }: ChartStyle): Omit<uPlot.Options, 'width' | 'height'> {
  return {
    cursor: { drag: { x: false, y: false }, y: false },
    scales: { x: { time: false }, y: { range: [-1, 1] } },
    axes: [
      { ...axis, size: 30, values: (_, splits) => splits.map(formatPosition) },
      { ...axis, size: labelWidth, values: (_, splits) => splits.map(formatDecimal) },
    ],
    series: [
      {},
      { stroke: colour('--wave'), width: 1, points: { show: false } },
      { stroke: colour('--accent'), width: 2.5, points: { show: false } },
    ],
  };
}
