// The processes that share the database.
import { Badge } from '../../components/badge';
import { Section } from '../../components/section';
import { Table } from '../../components/table';
import { Time } from '../../components/time';
import type { Node } from './records';
import { roleText } from './role-words';

export function Nodes({ nodes, answering }: { nodes: Node[]; answering: string }) {
  return (
    <Section title="Nodes">
      <Table
        caption="Nodes"
        rows={[...nodes].sort(
          (one, other) => Number(other.alive) - Number(one.alive) || one.host.localeCompare(other.host),
        )}
        rowKey={(node) => node.id}
        columns={[
          {
            id: 'alive',
            title: 'State',
            cell: (node) => <Badge kind={node.alive ? 'good' : 'bad'}>{node.alive ? 'Alive' : 'No heartbeat'}</Badge>,
          },
          {
            id: 'host',
            title: 'Host',
            cell: (node) => (
              <>
                <span title={node.id}>{node.host}</span>{' '}
                {node.id === answering && <span class="chip">this node</span>}
              </>
            ),
          },
          { id: 'role', title: 'Role', cell: (node) => roleText(node.role) },
          { id: 'models', title: 'Models in memory', cell: (node) => node.loaded_models.join(', ') || 'None' },
          { id: 'version', title: 'Version', cell: (node) => node.version },
          { id: 'started', title: 'Started', cell: (node) => <Time seconds={node.started_at} /> },
          { id: 'seen', title: 'Last seen', cell: (node) => <Time seconds={node.seen_at} /> },
        ]}
      />
    </Section>
  );
}
