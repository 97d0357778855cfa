// The sentiment curve, drawn by uPlot. Loaded when the tab is opened.
import '../../shared';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { formatDecimal } from '../../format/numbers';
import { formatPosition } from '../../format/time';
import { theme } from '../../theme';
import type { SentimentPoints } from './sentiment-points';

export interface SentimentChartProps {
  points: SentimentPoints;
  label: string;
  onJump: (seconds: number) => void;
}

const HEIGHT = 240;

export function SentimentChart({ points, label, onJump }: SentimentChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const shown = theme.value;
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const chart = new uPlot(options(element), [points.times, points.scores, points.means], element);
    const jump = () => {
      const time = chart.cursor.left === undefined ? NaN : chart.posToVal(chart.cursor.left, 'x');
      if (!Number.isNaN(time)) onJump(time);
    };
    chart.over.addEventListener('click', jump);
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [points, shown]);
  return <div class="chart" role="img" aria-label={`Sentiment over time. ${label}`} ref={frame} />;
}

function options(element: HTMLElement): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(name).trim();
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
    cursor: { drag: { x: false, y: false }, y: false },
    scales: { x: { time: false }, y: { range: [-1, 1] } },
    axes: [
      { ...axis, size: 30, values: (_, splits) => splits.map(formatPosition) },
      { ...axis, size: 46, values: (_, splits) => splits.map(formatDecimal) },
    ],
    series: [
      {},
      { stroke: colour('--wave'), width: 1, points: { show: false } },
      { stroke: colour('--accent'), width: 2.5, points: { show: false } },
    ],
  };
}
