// What was sent, to whom, and what came back. Deliveries under way are refreshed.
import { useSignal } from '@preact/signals';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { EmptyState } from '../../components/empty-state';
import { ResourceView } from '../../components/resource-view';
import { SelectField } from '../../components/select-field';
import { showToast } from '../../components/toasts';
import { useRefresh } from '../../components/use-refresh';
import { plural } from '../../format/numbers';
import { query, setQuery } from '../../router';
import { project } from '../../session';
import { useResource } from '../../use-resource';
import { DeliveryDialog } from './delivery-dialog';
import { DeliveryTable } from './delivery-table';
import { listDeliveries, resendFailed, type EndpointRecord } from './records';

const REFRESH_MS = 5000;
// Deliveries per page, and the maximum that the server lists.
const PAGE_SIZE = 25;
const MAX_LISTED = 100;

export function Deliveries({ endpoints }: { endpoints: EndpointRecord[] }) {
  const filter = {
    status: query.value.get('status') ?? '',
    endpoint_id: query.value.get('endpoint_id') ?? '',
    job_id: query.value.get('job_id') ?? '',
  };
  const limit = useSignal(PAGE_SIZE);
  const asking = useSignal(false);
  const key = `${project.value} ${Object.values(filter).join(' ')}`;
  const deliveries = useResource(key, (signal) => listDeliveries(project.value, filter, limit.value, signal));
  const opened = query.value.get('delivery');
  const listed = deliveries.data.value?.data ?? [];
  useRefresh(
    deliveries.reload,
    REFRESH_MS,
    listed.some((delivery) => delivery.status === 'pending'),
  );
  const resendAll = async () => {
    const { resent } = await resendFailed(project.value);
    showToast(`${plural(resent, 'delivery', 'deliveries')} will be sent again.`);
    await deliveries.reload();
  };
  return (
    <div class="section">
      <div class="toolbar">
        <SelectField
          label="Status"
          value={filter.status}
          options={statuses}
          onChange={(status) => setQuery({ status })}
        />
        <SelectField
          label="Endpoint"
          value={filter.endpoint_id}
          options={[{ value: '', label: 'All' }, ...endpoints.map((entry) => ({ value: entry.id, label: entry.url }))]}
          onChange={(endpoint_id) => setQuery({ endpoint_id })}
        />
        <div class="row toolbar-end">
          <Button icon="refresh" onClick={() => void deliveries.reload()}>
            Refresh
          </Button>
          <Button onClick={() => (asking.value = true)}>Resend all failed</Button>
        </div>
      </div>
      {filter.job_id && (
        <p class="soft small">
          Only deliveries of job <code>{filter.job_id}</code>.{' '}
          <button type="button" class="text-button" onClick={() => setQuery({ job_id: null })}>
            Show all
          </button>
        </p>
      )}
      <ResourceView resource={deliveries}>
        {(list) =>
          list.data.length === 0 ? (
            <NoDeliveries filtered={Object.values(filter).some(Boolean)} />
          ) : (
            <DeliveryTable rows={list.data} onOpen={(delivery) => setQuery({ delivery })} />
          )
        }
      </ResourceView>
      {listed.length === limit.value && limit.value < MAX_LISTED && (
        <div class="row center">
          <Button
            onClick={() => {
              limit.value = Math.min(MAX_LISTED, limit.value * 2);
              void deliveries.reload();
            }}
          >
            Show more
          </Button>
        </div>
      )}
      {opened && (
        <DeliveryDialog
          id={opened}
          onChange={() => void deliveries.reload()}
          onClose={() => setQuery({ delivery: null })}
        />
      )}
      {asking.value && (
        <ConfirmDialog
          title="Resend all failed deliveries?"
          confirm="Resend"
          onConfirm={resendAll}
          onClose={() => (asking.value = false)}
        >
          <p>Every failed delivery of this project is sent again, except those to disabled endpoints.</p>
        </ConfirmDialog>
      )}
    </div>
  );
}

const statuses = [
  { value: '', label: 'All' },
  { value: 'pending', label: 'Waiting' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
];

function NoDeliveries({ filtered }: { filtered: boolean }) {
  return filtered ? (
    <EmptyState icon="webhooks" title="No delivery matches">
      Choose another status or endpoint.
    </EmptyState>
  ) : (
    <EmptyState icon="webhooks" title="Nothing was sent yet">
      Add an endpoint, or give a job a webhook_url. The delivery appears here when the job ends.
    </EmptyState>
  );
}
