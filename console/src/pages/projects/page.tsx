// Projects, the keys of the chosen project, and operators with their keys and sessions.
import { PageHeader } from '../../components/page-header';
import { Tabs } from '../../components/tabs';
import { pushQuery, query } from '../../router';
import { project } from '../../session';
import { OperatorKeys } from './operator-keys';
import { OperatorSessions } from './operator-sessions';
import { ProjectKeys } from './project-keys';
import { Projects } from './projects';

export function ProjectsPage() {
  const tabs = [
    { id: 'projects', label: 'Projects' },
    { id: 'keys', label: `API keys of ${project.value}` },
    { id: 'operators', label: 'Operators' },
  ];
  const wanted = query.value.get('tab');
  const tab = tabs.find((entry) => entry.id === wanted)?.id ?? 'projects';
  return (
    <>
      <PageHeader title="Projects and keys" intro="Each project has its own jobs, keys, plan, balance and limits." />
      <Tabs label="Projects and keys" tabs={tabs} selected={tab} onSelect={(id) => pushQuery({ tab: id })}>
        {tab === 'projects' && <Projects />}
        {tab === 'keys' && <ProjectKeys />}
        {tab === 'operators' && (
          <>
            <OperatorKeys />
            <OperatorSessions />
          </>
        )}
      </Tabs>
    </>
  );
}
