// The chart of a report with its legend, and the choice of what it shows.
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Section } from '../../components/section';
import { Segmented } from '../../components/segmented';
import { ChartLegend } from './chart-legend';
import { firstMeasure, measureOf, measures, type MeasureName } from './measures';
import { daysOf } from './period';
import type { Period, UsageReport } from './records';
import { seriesOf } from './series';
import { StackedBars } from './stacked-bars';

export function UsageChart({ report, period }: { report: UsageReport; period: Period }) {
  const chosen = useSignal<MeasureName | null>(null);
  const position = useSignal<number | null>(null);
  const measure = measureOf(chosen.value ?? firstMeasure(report.total));
  const days = useMemo(() => daysOf(period), [period]);
  const series = useMemo(() => seriesOf(report.groups, days, measure), [report, days, measure]);
  const options = measures
    .filter((entry) => entry.value(report.total) > 0)
    .map((entry) => ({ value: entry.name, label: entry.label }));
  return (
    <Section
      title={`${measure.label} by day and model`}
      actions={
        options.length > 1 && (
          <Segmented
            label="What the chart shows"
            options={options}
            value={measure.name}
            onChange={(name) => (chosen.value = name as MeasureName)}
          />
        )
      }
    >
      <div class="card chart-card">
        <StackedBars days={days} series={series} measure={measure} onPosition={(value) => (position.value = value)} />
        <ChartLegend days={days} series={series} measure={measure} position={position.value} />
      </div>
    </Section>
  );
}
