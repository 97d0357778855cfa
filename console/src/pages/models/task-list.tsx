// What was done with models lately, and why it failed.
import { Badge } from '../../components/badge';
import { LiteralText } from '../../components/literal-text';
import { Section } from '../../components/section';
import { Table } from '../../components/table';
import { Time } from '../../components/time';
import { formatPercent } from '../../format/numbers';
import type { Node } from '../system/records';
import { hasEnded, type ModelTask, type TaskStatus } from './records';
import { actionName } from './task-words';

// Older tasks are rarely of interest, and the list is below everything else.
const TASKS_SHOWN = 20;

const kinds: Record<TaskStatus, 'good' | 'bad' | 'info' | 'live' | 'plain'> = {
  queued: 'info',
  running: 'live',
  completed: 'good',
  failed: 'bad',
  cancelled: 'plain',
};

const words: Record<TaskStatus, string> = {
  queued: 'Queued',
  running: 'Running',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

export function TaskList({ tasks, nodes }: { tasks: ModelTask[]; nodes: Node[] }) {
  if (tasks.length === 0) return null;
  const host = (id: string) => nodes.find((node) => node.id === id)?.host ?? id;
  const columns = [
    {
      id: 'status',
      title: 'Status',
      cell: (task: ModelTask) => <Badge kind={kinds[task.status]}>{words[task.status]}</Badge>,
    },
    { id: 'action', title: 'Task', cell: (task: ModelTask) => actionName(task.action) },
    { id: 'model', title: 'Model', cell: (task: ModelTask) => <code class="no-wrap">{task.model}</code> },
    { id: 'node', title: 'Node', cell: (task: ModelTask) => <span class="no-wrap">{host(task.node)}</span> },
    { id: 'when', title: 'Started', cell: (task: ModelTask) => <Time seconds={task.created_at} /> },
    {
      id: 'error',
      title: 'What happened',
      cell: (task: ModelTask) => (
        <span class="wrap">{task.error ? <LiteralText text={task.error} /> : progressText(task)}</span>
      ),
    },
  ];
  return (
    <Section title="Recent tasks">
      <Table
        caption="Recent tasks on models"
        rows={tasks.slice(0, TASKS_SHOWN)}
        rowKey={(task) => task.id}
        columns={nodes.length > 1 ? columns : columns.filter((column) => column.id !== 'node')}
      />
    </Section>
  );
}

function progressText(task: ModelTask): string {
  const { done_bytes: done, total_bytes: total } = task.progress;
  return hasEnded(task) || total === 0 ? '–' : formatPercent(done / total);
}
