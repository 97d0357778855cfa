// A report as a chart and as a table, or what to do if there is nothing to report.
import type { ComponentChildren } from 'preact';
import { EmptyState } from '../../components/empty-state';
import { Link } from '../../components/link';
import { DayTable } from './day-table';
import type { Period, UsageReport } from './records';
import { UsageChart } from './usage-chart';

interface UsageViewProps {
  report: UsageReport;
  period: Period;
  // Between the chart and the table.
  children?: ComponentChildren;
}

export function UsageView({ report, period, children }: UsageViewProps) {
  if (report.groups.length > 0) {
    return (
      <>
        <UsageChart report={report} period={period} />
        {children}
        <DayTable groups={report.groups} />
      </>
    );
  }
  return (
    <EmptyState
      icon="usage"
      title="Nothing was used in this period"
      action={
        <Link to="/" class="button primary normal">
          Transcribe a recording
        </Link>
      }
    >
      Choose another period, or start with a recording. Its usage appears here when it is done.
    </EmptyState>
  );
}
