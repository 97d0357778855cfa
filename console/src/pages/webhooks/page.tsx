// Webhooks of the project: endpoints, deliveries, and receivers to copy.
import { PageHeader } from '../../components/page-header';
import { Tabs } from '../../components/tabs';
import { pushQuery, query } from '../../router';
import { project } from '../../session';
import { useResource } from '../../use-resource';
import { Deliveries } from './deliveries';
import { Endpoints } from './endpoints';
import { ExampleReceiver } from './example-receiver';
import { listEndpoints } from './records';

const tabs = [
  { id: 'endpoints', label: 'Endpoints' },
  { id: 'deliveries', label: 'Deliveries' },
  { id: 'receiver', label: 'Example receiver' },
];

export function WebhooksPage() {
  const endpoints = useResource(project.value, (signal) => listEndpoints(project.value, signal));
  const wanted = query.value.get('tab');
  const tab = tabs.find((entry) => entry.id === wanted)?.id ?? 'endpoints';
  return (
    <>
      <PageHeader
        title="Webhooks"
        intro="Auris calls your URLs when a job ends, with a signature that proves where the call came from."
      />
      <Tabs label="Webhooks" tabs={tabs} selected={tab} onSelect={(id) => pushQuery({ tab: id, delivery: null })}>
        {tab === 'endpoints' && <Endpoints endpoints={endpoints} />}
        {tab === 'deliveries' && <Deliveries endpoints={endpoints.data.value?.data ?? []} />}
        {tab === 'receiver' && <ExampleReceiver />}
      </Tabs>
    </>
  );
}
