// A stacked bar for each day. The tables below have the same values for readers who cannot see it.
import { useEffect, useMemo } from 'preact/hooks';
import type uPlot from 'uplot';
import { Chart, type ChartStyle } from '../../components/chart';
import { lazily } from '../../format/lazily';
import type { Measure } from './measures';
import { dayStart, formatUtcDay } from './period';
import { stack, type Series } from './series';

interface StackedBarsProps {
  days: string[];
  series: Series[];
  measure: Measure;
  onPosition: (position: number | null) => void;
}

const HALF_DAY_SECONDS = 43_200;
const axisDay = lazily(() => new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' }));

export function StackedBars({ days, series, measure, onPosition }: StackedBarsProps) {
  const data = useMemo(() => dataOf(days, series), [days, series]);
  useEffect(() => () => onPosition(null), [data]);
  return (
    <Chart
      label={summaryOf(days, series, measure)}
      height={260}
      data={data}
      options={(style) => optionsOf(style, series, measure, onPosition)}
    />
  );
}

// The tallest stack is drawn first, and the others over it.
function dataOf(days: string[], series: Series[]): uPlot.AlignedData {
  return [days.map((day) => dayStart(day) / 1000), ...stack(series).reverse()];
}

function optionsOf(
  { library, colour, axis, labelWidth }: ChartStyle,
  series: Series[],
  measure: Measure,
  onPosition: (position: number | null) => void,
): Omit<uPlot.Options, 'width' | 'height'> {
  const bars = library.paths.bars?.({ size: [0.72, 44] });
  return {
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    tzDate: (seconds) => library.tzDate(new Date(seconds * 1000), 'UTC'),
    scales: {
      x: { range: (_, from, to) => [from - HALF_DAY_SECONDS, to + HALF_DAY_SECONDS] },
      y: { range: (_, __, to) => [0, to * 1.08 || 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 24,
        space: 64,
        values: (_, splits) => splits.map((seconds) => axisDay().format(seconds * 1000)),
      },
      {
        ...axis,
        size: labelWidth,
        incrs: measure.axis.steps,
        values: (_, splits, __, ___, step) => splits.map((value) => measure.axis.format(value, step)),
      },
    ],
    series: [
      {},
      ...series
        .map((_, index) => ({
          fill: colour(`--speaker-${index + 1}`),
          width: 0,
          ...(bars ? { paths: bars } : {}),
          points: { show: false },
        }))
        .reverse(),
    ],
    hooks: { setCursor: [(chart) => onPosition(chart.cursor.idx ?? null)] },
  };
}

function summaryOf(days: string[], series: Series[], measure: Measure): string {
  const total = series.reduce((sum, entry) => sum + entry.total, 0);
  const names = series.map((entry) => `${entry.model} ${measure.format(entry.total)}`).join(', ');
  const [first, last] = [days[0] ?? '', days.at(-1) ?? ''];
  return `${measure.label} from ${formatUtcDay(first)} to ${formatUtcDay(last)}: ${measure.format(total)} in all. ${names}.`;
}
