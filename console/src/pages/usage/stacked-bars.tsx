// A stacked bar for each day, drawn by uPlot. The tables below have the same values for readers who cannot see it.
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { theme } from '../../theme';
import type { Measure } from './measures';
import { dayStart, formatUtcDay } from './period';
import { stack, type Series } from './series';

interface StackedBarsProps {
  days: string[];
  series: Series[];
  measure: Measure;
  onPosition: (position: number | null) => void;
}

const HEIGHT = 260;
const HALF_DAY_SECONDS = 43_200;
const axisDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

export function StackedBars({ days, series, measure, onPosition }: StackedBarsProps) {
  const frame = useRef<HTMLDivElement>(null);
  const shown = theme.value;
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const chart = new uPlot(optionsOf(element, series, measure, onPosition), dataOf(days, series), element);
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
      onPosition(null);
    };
  }, [days, series, measure, shown]);
  return <div ref={frame} class="chart" role="img" aria-label={summaryOf(days, series, measure)} />;
}

// The tallest stack is drawn first, and the others over it.
function dataOf(days: string[], series: Series[]): uPlot.AlignedData {
  return [days.map((day) => dayStart(day) / 1000), ...stack(series).reverse()];
}

function optionsOf(
  element: HTMLElement,
  series: Series[],
  measure: Measure,
  onPosition: (position: number | null) => void,
): uPlot.Options {
  const colours = getComputedStyle(element);
  const colour = (name: string) => colours.getPropertyValue(name).trim();
  const bars = uPlot.paths.bars?.({ size: [0.72, 44] });
  const axis = {
    stroke: colour('--soft'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
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
        values: (_, splits) => splits.map((seconds) => axisDay.format(seconds * 1000)),
      },
      { ...axis, size: 64, values: (_, splits) => splits.map((value) => measure.format(value)) },
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
