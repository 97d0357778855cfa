// A chart, drawn by uPlot. The library is loaded when the first chart is shown.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { textWidth } from '../text-width';
import { theme } from '../theme';
import { Loading } from './loading';

type Library = typeof uPlot;

const FONT = '12px system-ui, sans-serif';
// Pixels between a label of the vertical axis and the chart.
const LABEL_GAP = 12;

export interface ChartStyle {
  library: Library;
  // The value of a colour of the stylesheet, such as `--accent`.
  colour: (name: string) => string;
  axis: uPlot.Axis;
  // The `size` of the vertical axis, so that no label is cut.
  labelWidth: (chart: unknown, labels: string[] | null) => number;
}

interface ChartProps {
  // What the chart shows, for readers who cannot see it.
  label: string;
  height: number;
  // A new array draws the chart anew.
  data: uPlot.AlignedData;
  options: (style: ChartStyle) => Omit<uPlot.Options, 'width' | 'height'>;
  // Called with the place on the horizontal axis.
  onClick?: (value: number) => void;
}

export function Chart({ label, height, data, options, onClick }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const { library, failed } = useLibrary();
  const latest = useRef({ options, onClick });
  latest.current = { options, onClick };
  const shownTheme = theme.value;
  useEffect(() => {
    const element = frame.current;
    if (!element || !library) return undefined;
    const given = latest.current.options(styleOf(library, element));
    const chart = new library({ ...given, legend: { show: false }, width: element.clientWidth, height }, data, element);
    chart.over.addEventListener('click', () => {
      const value = chart.cursor.left === undefined ? NaN : chart.posToVal(chart.cursor.left, 'x');
      if (!Number.isNaN(value)) latest.current.onClick?.(value);
    });
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [data, library, shownTheme]);
  if (failed) return <p class="hint">The chart could not be loaded. Reload the page to try again.</p>;
  if (!library) return <Loading />;
  return <div ref={frame} class="chart" role="img" aria-label={label} />;
}

function useLibrary(): { library: Library | null; failed: boolean } {
  const loaded = useSignal<{ library: Library } | null>(null);
  const failed = useSignal(false);
  useEffect(() => {
    import('uplot').then(
      (module) => (loaded.value = { library: module.default }),
      () => (failed.value = true),
    );
  }, []);
  return { library: loaded.value?.library ?? null, failed: failed.value };
}

function styleOf(library: Library, element: HTMLElement): ChartStyle {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour('--soft'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: FONT,
  };
  return { library, colour, axis, labelWidth };
}

function labelWidth(_: unknown, labels: string[] | null): number {
  const widths = (labels ?? []).map((label) => textWidth(label, FONT));
  return Math.ceil(Math.max(0, ...widths)) + LABEL_GAP;
}
