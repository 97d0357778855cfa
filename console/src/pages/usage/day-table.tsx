// The lines of a report, newest day first.
import { useSignal } from '@preact/signals';
import { Button } from '../../components/button';
import { Section } from '../../components/section';
import { Table } from '../../components/table';
import { formatInteger, formatUsd } from '../../format/numbers';
import { formatAudio } from './measures';
import { formatUtcDay } from './period';
import type { UsageGroup } from './records';

const LINES_SHOWN = 14;

export function DayTable({ groups }: { groups: UsageGroup[] }) {
  const shown = useSignal(LINES_SHOWN);
  const newestFirst = [...groups].sort((one, other) => (other.day ?? '').localeCompare(one.day ?? ''));
  return (
    <Section title="By day and model">
      <Table
        caption="Usage by day and model"
        rows={newestFirst.slice(0, shown.value)}
        rowKey={(group) => `${group.day} ${group.model}`}
        columns={[
          { id: 'day', title: 'Day', cell: (group) => <span class="no-wrap">{formatUtcDay(group.day ?? '')}</span> },
          { id: 'model', title: 'Model', cell: (group) => <code>{group.model}</code> },
          { id: 'requests', title: 'Model calls', number: true, cell: (group) => formatInteger(group.requests) },
          {
            id: 'audio',
            title: 'Audio',
            number: true,
            cell: (group) => orDash(group.usage.audio_seconds, formatAudio),
          },
          { id: 'input', title: 'Input tokens', number: true, cell: (group) => orDash(group.usage.input_tokens) },
          { id: 'output', title: 'Output tokens', number: true, cell: (group) => orDash(group.usage.output_tokens) },
          { id: 'characters', title: 'Characters', number: true, cell: (group) => orDash(group.usage.characters) },
          { id: 'cost', title: 'Cost', number: true, cell: (group) => formatUsd(group.usage.cost_usd) },
        ]}
      />
      {groups.length > shown.value && (
        <div class="row center">
          <Button onClick={() => (shown.value = groups.length)}>Show all {formatInteger(groups.length)} lines</Button>
        </div>
      )}
    </Section>
  );
}

const orDash = (value: number, format: (value: number) => string = formatInteger): string =>
  value === 0 ? '–' : format(value);
