// A list of keys with a button that creates one.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { List } from '../../api/types';
import { Button } from '../../components/button';
import { EmptyState } from '../../components/empty-state';
import type { IconName } from '../../components/icon';
import { RecordList } from '../../components/record-card';
import { ResourceView } from '../../components/resource-view';
import { Section } from '../../components/section';
import type { Resource } from '../../use-resource';
import { sortKeys } from './key-words';
import type { OperatorKey } from './records';

interface KeyListProps<T extends OperatorKey> {
  keys: Resource<List<T>>;
  // For screen readers.
  label: string;
  title: string;
  intro: string;
  create: string;
  empty: { icon: IconName; title: string; text: ComponentChildren };
  card: (key: T, onChange: () => void) => ComponentChildren;
  form: (onCreated: () => void, onClose: () => void) => ComponentChildren;
}

export function KeyList<T extends OperatorKey>(props: KeyListProps<T>) {
  const { keys, label, title, intro, empty } = props;
  const creating = useSignal(false);
  const reload = () => void keys.reload();
  const create = (
    <Button kind="primary" icon="plus" onClick={() => (creating.value = true)}>
      {props.create}
    </Button>
  );
  return (
    <>
      <ResourceView resource={keys}>
        {(list) =>
          list.data.length === 0 ? (
            <EmptyState icon={empty.icon} title={empty.title} action={create}>
              {empty.text}
            </EmptyState>
          ) : (
            <Section title={title} intro={intro} actions={create}>
              <RecordList label={label}>{sortKeys(list.data).map((key) => props.card(key, reload))}</RecordList>
            </Section>
          )
        }
      </ResourceView>
      {creating.value && props.form(reload, () => (creating.value = false))}
    </>
  );
}
