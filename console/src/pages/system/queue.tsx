// What waits, by project.
import { Section } from '../../components/section';
import { Table } from '../../components/table';
import { Time } from '../../components/time';
import { formatInteger } from '../../format/numbers';
import type { QueueLine } from './records';

export function Queue({ lines }: { lines: QueueLine[] }) {
  return (
    <Section title="Queue by project" intro="Projects take turns, so that none of them waits for all jobs of another.">
      {lines.length === 0 ? (
        <p class="soft">The queue is empty.</p>
      ) : (
        <Table
          caption="Queue by project"
          rows={[...lines].sort((one, other) => other.queued_steps - one.queued_steps)}
          rowKey={(line) => line.project}
          columns={[
            { id: 'project', title: 'Project', cell: (line) => line.project },
            { id: 'queued', title: 'Waiting steps', number: true, cell: (line) => formatInteger(line.queued_steps) },
            { id: 'running', title: 'Running steps', number: true, cell: (line) => formatInteger(line.running_steps) },
            {
              id: 'oldest',
              title: 'Waiting longest',
              number: true,
              cell: (line) => (line.oldest_queued_at === null ? '–' : <Time seconds={line.oldest_queued_at} />),
            },
          ]}
        />
      )}
    </Section>
  );
}
