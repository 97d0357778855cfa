// The API keys of the chosen project.
import { project } from '../../session';
import { useResource } from '../../use-resource';
import { CreateKey } from './create-key';
import { KeyCard } from './key-card';
import { KeyList } from './key-list';
import { listKeys } from './records';

export function ProjectKeys() {
  const keys = useResource(project.value, (signal) => listKeys(project.value, signal));
  return (
    <KeyList
      keys={keys}
      label="API keys"
      title={`API keys of ${project.value}`}
      intro="To see the keys of another project, choose it at the top of the page."
      create="Create a key"
      empty={{
        icon: 'key',
        title: `${project.value} has no keys yet`,
        text: 'Programs send a key with every request to the API. Create one for each program, so that you can revoke it alone.',
      }}
      card={(key, onChange) => <KeyCard key={key.id} apiKey={key} onChange={onChange} />}
      form={(onCreated, onClose) => <CreateKey onCreated={onCreated} onClose={onClose} />}
    />
  );
}
