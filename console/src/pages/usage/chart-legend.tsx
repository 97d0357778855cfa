// The colours of a chart with the values of the whole period, or of the day under the pointer.
import type { Measure } from './measures';
import { formatUtcDay } from './period';
import type { Series } from './series';

interface ChartLegendProps {
  days: string[];
  series: Series[];
  measure: Measure;
  position: number | null;
}

export function ChartLegend({ days, series, measure, position }: ChartLegendProps) {
  const day = position === null ? undefined : days[position];
  const valueOf = (entry: Series) => (position === null ? entry.total : (entry.values[position] ?? 0));
  const sum = series.reduce((total, entry) => total + valueOf(entry), 0);
  return (
    <div class="chart-legend">
      <p class="chart-legend-title">
        <span>{day ? formatUtcDay(day) : 'Whole period'}</span>
        <strong class="numeric">{measure.format(sum)}</strong>
      </p>
      <ul>
        {series.map((entry, index) => (
          <li key={entry.model}>
            <span class={`chart-colour series-${index + 1}`} aria-hidden="true" />
            <span class="cut" title={entry.model}>
              {entry.model}
            </span>
            <span class="numeric">{measure.format(valueOf(entry))}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
