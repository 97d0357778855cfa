// What each project used, the most expensive first.
import { Link } from '../../components/link';
import { ResourceView } from '../../components/resource-view';
import { Section } from '../../components/section';
import { Table } from '../../components/table';
import { formatInteger, formatUsd } from '../../format/numbers';
import { useResource } from '../../use-resource';
import { formatAudio } from './measures';
import { readUsageByProject, type Period } from './records';

export function ProjectTable({ period }: { period: Period }) {
  const report = useResource(`${period.first_day} ${period.last_day}`, (signal) => readUsageByProject(period, signal));
  return (
    <Section title="Projects">
      <ResourceView resource={report}>
        {({ groups }) => (
          <Table
            caption="Usage by project"
            rows={[...groups].sort((one, other) => Number(other.usage.cost_usd) - Number(one.usage.cost_usd))}
            rowKey={(group) => group.project ?? ''}
            columns={[
              {
                id: 'project',
                title: 'Project',
                cell: (group) => (
                  <Link to="/usage" query={{ project: group.project ?? null }}>
                    {group.project}
                  </Link>
                ),
              },
              { id: 'requests', title: 'Model calls', number: true, cell: (group) => formatInteger(group.requests) },
              { id: 'audio', title: 'Audio', number: true, cell: (group) => formatAudio(group.usage.audio_seconds) },
              {
                id: 'tokens',
                title: 'Tokens',
                number: true,
                cell: (group) => formatInteger(group.usage.input_tokens + group.usage.output_tokens),
              },
              { id: 'cost', title: 'Cost', number: true, cell: (group) => formatUsd(group.usage.cost_usd) },
            ]}
          />
        )}
      </ResourceView>
    </Section>
  );
}
