// The report as stacked bars: one series per model, one bar per day.
import type { Measure } from './measures';
import type { UsageGroup } from './records';

export interface Series {
  model: string;
  values: number[];
  total: number;
}

// Models beyond this number are added up as one series, because more colours look the same.
const MAX_SERIES = 7;

export const OTHERS = 'All others';

export function seriesOf(groups: UsageGroup[], days: string[], measure: Measure): Series[] {
  const positions = new Map(days.map((day, position) => [day, position]));
  const byModel = new Map<string, Series>();
  for (const group of groups) {
    const position = positions.get(group.day ?? '');
    if (position === undefined) continue;
    const model = group.model ?? '';
    const series = byModel.get(model) ?? emptySeries(model, days.length);
    const value = measure.value(group);
    series.values[position] = (series.values[position] ?? 0) + value;
    series.total += value;
    byModel.set(model, series);
  }
  const used = [...byModel.values()].filter((series) => series.total > 0);
  return limitSeries(used.sort((one, other) => other.total - one.total));
}

// The upper edge of every series when they are stacked in order.
export function stack(series: Series[]): number[][] {
  const edges: number[][] = [];
  for (const entry of series) {
    const below = edges.at(-1);
    edges.push(entry.values.map((value, position) => value + (below?.[position] ?? 0)));
  }
  return edges;
}

function emptySeries(model: string, length: number): Series {
  return { model, values: new Array<number>(length).fill(0), total: 0 };
}

function limitSeries(series: Series[]): Series[] {
  if (series.length <= MAX_SERIES + 1) return series;
  const others = series
    .slice(MAX_SERIES)
    .reduce((sum, entry) => addSeries(sum, entry), emptySeries(OTHERS, series[0]?.values.length ?? 0));
  return [...series.slice(0, MAX_SERIES), others];
}

function addSeries(sum: Series, entry: Series): Series {
  return {
    model: sum.model,
    values: sum.values.map((value, position) => value + (entry.values[position] ?? 0)),
    total: sum.total + entry.total,
  };
}
