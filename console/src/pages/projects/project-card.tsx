// One project: plan, balance and limits, and what can be changed.
import { useSignal } from '@preact/signals';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { Link } from '../../components/link';
import { RecordCard } from '../../components/record-card';
import { Time } from '../../components/time';
import { formatUsd } from '../../format/numbers';
import { project as chosenProject } from '../../session';
import { ChangeCredit } from './change-credit';
import { EditProject } from './edit-project';
import { limitText } from './limit-words';
import type { Project } from './records';

interface ProjectCardProps {
  project: Project;
  plans: string[];
  onChange: () => void;
}

export function ProjectCard({ project, plans, onChange }: ProjectCardProps) {
  const dialog = useSignal<'edit' | 'credit' | null>(null);
  const close = () => (dialog.value = null);
  const label = (words: string) => `${words} of ${project.name}`;
  return (
    <RecordCard
      title={project.name}
      badges={project.name === chosenProject.value && <Badge kind="live">Current project</Badge>}
      subtitle={<code>{project.id}</code>}
      facts={[
        { label: 'Plan', value: project.plan },
        { label: 'Balance', value: <BalanceText project={project} /> },
        { label: 'Requests per minute', value: limitText(project.requests_per_minute) },
        { label: 'Transcriptions at a time', value: limitText(project.concurrent_transcriptions) },
        { label: 'Created', value: <Time seconds={project.created_at} /> },
      ]}
      actions={
        <>
          <Link
            to="/projects"
            query={{ project: project.name, tab: 'keys' }}
            class="button plain small"
            aria-label={label('API keys')}
          >
            API keys
          </Link>
          <Button
            kind="quiet"
            size="small"
            icon="plus"
            aria-label={label('Credit')}
            onClick={() => (dialog.value = 'credit')}
          >
            Credit
          </Button>
          <Button
            kind="quiet"
            size="small"
            icon="edit"
            aria-label={label('Plan and limits')}
            onClick={() => (dialog.value = 'edit')}
          >
            Plan and limits
          </Button>
        </>
      }
    >
      {dialog.value === 'edit' && <EditProject project={project} plans={plans} onChange={onChange} onClose={close} />}
      {dialog.value === 'credit' && <ChangeCredit project={project} onChange={onChange} onClose={close} />}
    </RecordCard>
  );
}

function BalanceText({ project }: { project: Project }) {
  if (project.balance_usd === null) return <>Unlimited</>;
  const held = Number(project.held_usd) > 0;
  return (
    <>
      {formatUsd(project.balance_usd)}
      {held && <span class="soft small"> ({formatUsd(project.held_usd)} held)</span>}
    </>
  );
}
