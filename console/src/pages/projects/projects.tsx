// All projects of this server.
import { useSignal } from '@preact/signals';
import { Button } from '../../components/button';
import { RecordList } from '../../components/record-card';
import { ResourceView } from '../../components/resource-view';
import { Section } from '../../components/section';
import { loadProjectNames } from '../../session';
import { useResource } from '../../use-resource';
import { CreateProject } from './create-project';
import { ProjectCard } from './project-card';
import { listProjects } from './records';

export function Projects() {
  const projects = useResource('', listProjects);
  const creating = useSignal(false);
  const plans = projects.data.value?.plans ?? [];
  const created = async () => {
    await Promise.all([projects.reload(), loadProjectNames()]);
  };
  return (
    <>
      <ResourceView resource={projects}>
        {(list) => (
          <Section
            title="Projects"
            intro="Make one for each team or customer. What a project does is invisible to the others."
            actions={
              <Button kind="primary" icon="plus" onClick={() => (creating.value = true)}>
                Create a project
              </Button>
            }
          >
            <RecordList label="Projects">
              {list.data.map((entry) => (
                <ProjectCard
                  key={entry.id}
                  project={entry}
                  plans={list.plans}
                  onChange={() => void projects.reload()}
                />
              ))}
            </RecordList>
          </Section>
        )}
      </ResourceView>
      {creating.value && <CreateProject plans={plans} onCreated={created} onClose={() => (creating.value = false)} />}
    </>
  );
}
