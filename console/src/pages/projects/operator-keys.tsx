// Keys with which operators sign in to the console and call its API.
import { useSignal } from '@preact/signals';
import { Button } from '../../components/button';
import { EmptyState } from '../../components/empty-state';
import { RecordList } from '../../components/record-card';
import { ResourceView } from '../../components/resource-view';
import { Section } from '../../components/section';
import { useResource } from '../../use-resource';
import { CreateOperatorKey } from './create-operator-key';
import { sortKeys } from './key-words';
import { OperatorKeyCard } from './operator-key-card';
import { listOperatorKeys } from './records';

export function OperatorKeys() {
  const keys = useResource('', listOperatorKeys);
  const creating = useSignal(false);
  const reload = () => void keys.reload();
  const create = (
    <Button kind="primary" icon="plus" onClick={() => (creating.value = true)}>
      Create an operator key
    </Button>
  );
  return (
    <>
      <ResourceView resource={keys}>
        {(list) =>
          list.data.length === 0 ? (
            <EmptyState icon="system" title="No operator keys yet" action={create}>
              With a key you can sign in from anywhere. Without one, print a link with <code>auris console</code> each
              time.
            </EmptyState>
          ) : (
            <Section
              title="Operator keys"
              intro="They open everything in this console and never work on the API of projects. Give each operator one."
              actions={create}
            >
              <RecordList label="Operator keys">
                {sortKeys(list.data).map((key) => (
                  <OperatorKeyCard key={key.id} operatorKey={key} onChange={reload} />
                ))}
              </RecordList>
            </Section>
          )
        }
      </ResourceView>
      {creating.value && <CreateOperatorKey onCreated={reload} onClose={() => (creating.value = false)} />}
    </>
  );
}
