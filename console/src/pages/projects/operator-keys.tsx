// Keys with which operators sign in to the console and call its API.
import { useResource } from '../../use-resource';
import { CreateOperatorKey } from './create-operator-key';
import { KeyList } from './key-list';
import { OperatorKeyCard } from './operator-key-card';
import { listOperatorKeys } from './records';

export function OperatorKeys() {
  const keys = useResource('', listOperatorKeys);
  return (
    <KeyList
      keys={keys}
      label="Operator keys"
      title="Operator keys"
      intro="They open everything in this console and never work on the API of projects. Give each operator one."
      create="Create an operator key"
      empty={{
        icon: 'key',
        title: 'No operator keys yet',
        text: (
          <>
            With a key you can sign in from anywhere. Without one, print a link with <code>auris console</code> each
            time.
          </>
        ),
      }}
      card={(key, onChange) => <OperatorKeyCard key={key.id} operatorKey={key} onChange={onChange} />}
      form={(onCreated, onClose) => <CreateOperatorKey onCreated={onCreated} onClose={onClose} />}
    />
  );
}
