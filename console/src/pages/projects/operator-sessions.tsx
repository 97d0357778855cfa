// The operators who are signed in now.
import { RecordList } from '../../components/record-card';
import { ResourceView } from '../../components/resource-view';
import { Section } from '../../components/section';
import { useResource } from '../../use-resource';
import { OperatorSessionCard } from './operator-session-card';
import { listOperatorSessions } from './records';

export function OperatorSessions() {
  const sessions = useResource('', listOperatorSessions);
  return (
    <ResourceView resource={sessions}>
      {(list) => (
        <Section
          title="Signed in now"
          intro="Sessions of operators last twelve hours. End one that should not continue, for example on a lost computer."
        >
          <RecordList label="Sessions of operators">
            {list.data.map((entry) => (
              <OperatorSessionCard key={entry.id} operatorSession={entry} onChange={() => void sessions.reload()} />
            ))}
          </RecordList>
        </Section>
      )}
    </ResourceView>
  );
}
