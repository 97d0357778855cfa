// The API keys of the chosen project.
import { useSignal } from '@preact/signals';
import { Button } from '../../components/button';
import { EmptyState } from '../../components/empty-state';
import { RecordList } from '../../components/record-card';
import { ResourceView } from '../../components/resource-view';
import { Section } from '../../components/section';
import { project } from '../../session';
import { useResource } from '../../use-resource';
import { CreateKey } from './create-key';
import { KeyCard } from './key-card';
import { sortKeys } from './key-words';
import { listKeys } from './records';

export function ProjectKeys() {
  const keys = useResource(project.value, (signal) => listKeys(project.value, signal));
  const creating = useSignal(false);
  const reload = () => void keys.reload();
  const create = (
    <Button kind="primary" icon="plus" onClick={() => (creating.value = true)}>
      Create a key
    </Button>
  );
  return (
    <>
      <ResourceView resource={keys}>
        {(list) =>
          list.data.length === 0 ? (
            <EmptyState icon="projects" title={`${project.value} has no keys yet`} action={create}>
              Programs send a key with every request to the API. Create one for each program, so that you can revoke it
              alone.
            </EmptyState>
          ) : (
            <Section
              title={`API keys of ${project.value}`}
              intro="To see the keys of another project, choose it at the top of the page."
              actions={create}
            >
              <RecordList label="API keys">
                {sortKeys(list.data).map((key) => (
                  <KeyCard key={key.id} apiKey={key} onChange={reload} />
                ))}
              </RecordList>
            </Section>
          )
        }
      </ResourceView>
      {creating.value && <CreateKey onCreated={reload} onClose={() => (creating.value = false)} />}
    </>
  );
}
