// The steps that run now, the longest running first.
import { Link } from '../../components/link';
import { Section } from '../../components/section';
import { Table } from '../../components/table';
import { stepName } from '../../format/names';
import { formatDuration } from '../../format/time';
import type { Node, RunningStep } from './records';

interface RunningStepsProps {
  steps: RunningStep[];
  nodes: Node[];
  now: number;
}

export function RunningSteps({ steps, nodes, now }: RunningStepsProps) {
  const host = (id: string | null) => nodes.find((node) => node.id === id)?.host ?? id ?? '–';
  return (
    <Section title="Running steps">
      {steps.length === 0 ? (
        <p class="soft">Nothing runs at the moment.</p>
      ) : (
        <Table
          caption="Running steps"
          rows={[...steps].sort((one, other) => (one.started_at ?? now) - (other.started_at ?? now))}
          rowKey={(step) => step.step_id}
          columns={[
            {
              id: 'step',
              title: 'Step',
              cell: (step) => (
                <Link to={`/jobs/${step.job_id}`} query={{ project: step.project }}>
                  {stepName(step.step)}
                </Link>
              ),
            },
            { id: 'project', title: 'Project', cell: (step) => step.project },
            { id: 'model', title: 'Model', cell: (step) => (step.model ? <code>{step.model}</code> : '–') },
            { id: 'node', title: 'Node', cell: (step) => host(step.node) },
            {
              id: 'since',
              title: 'Running for',
              number: true,
              cell: (step) => runTime(step, now),
            },
          ]}
        />
      )}
    </Section>
  );
}

const runTime = ({ started_at: start }: RunningStep, now: number): string =>
  start === null ? '–' : formatDuration(Math.max(0, Math.round(now - start)));
