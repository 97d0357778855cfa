// The registered endpoints of the project.
import { useSignal } from '@preact/signals';
import type { List } from '../../api/types';
import { Button } from '../../components/button';
import { EmptyState } from '../../components/empty-state';
import { RecordList } from '../../components/record-card';
import { ResourceView } from '../../components/resource-view';
import { Section } from '../../components/section';
import type { Resource } from '../../use-resource';
import { CreateEndpoint } from './create-endpoint';
import { EndpointCard } from './endpoint-card';
import type { EndpointRecord } from './records';

export function Endpoints({ endpoints }: { endpoints: Resource<List<EndpointRecord>> }) {
  const creating = useSignal(false);
  const add = (
    <Button writes kind="primary" icon="plus" onClick={() => (creating.value = true)}>
      Add an endpoint
    </Button>
  );
  return (
    <>
      <ResourceView resource={endpoints}>
        {(list) =>
          list.data.length === 0 ? (
            <EmptyState icon="webhooks" title="No endpoints yet" action={add}>
              Add the URL of your receiver. Every job of this project that ends is then reported to it. The example
              receiver is a good start.
            </EmptyState>
          ) : (
            <Section
              title="Endpoints"
              intro="Each one is called for every job of this project that ends."
              actions={add}
            >
              <RecordList label="Endpoints">
                {list.data.map((endpoint) => (
                  <EndpointCard key={endpoint.id} endpoint={endpoint} onChange={() => void endpoints.reload()} />
                ))}
              </RecordList>
            </Section>
          )
        }
      </ResourceView>
      {creating.value && (
        <CreateEndpoint onCreated={() => void endpoints.reload()} onClose={() => (creating.value = false)} />
      )}
    </>
  );
}
