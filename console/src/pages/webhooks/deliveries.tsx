// What was sent, to whom, and what came back. Deliveries under way are refreshed.
import { useSignal } from '@preact/signals';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { currentCursor, readCursors } from '../../components/cursors';
import { EmptyState } from '../../components/empty-state';
import { Pager } from '../../components/pager';
import { ResourceView } from '../../components/resource-view';
import { SelectField } from '../../components/select-field';
import { showToast } from '../../components/toasts';
import { useRefresh } from '../../components/use-refresh';
import { plural } from '../../format/numbers';
import { pushQuery, query, setQuery, undoQuery } from '../../router';
import { project } from '../../session';
import { useResource } from '../../use-resource';
import { DeliveryDialog } from './delivery-dialog';
import { DeliveryTable } from './delivery-table';
import { listDeliveries, resendFailed, type DeliveryFilter, type EndpointRecord } from './records';

const REFRESH_MS = 5000;

export function Deliveries({ endpoints }: { endpoints: EndpointRecord[] }) {
  const filter = {
    status: query.value.get('status') ?? '',
    endpoint_id: query.value.get('endpoint_id') ?? '',
    job_id: query.value.get('job_id') ?? '',
  };
  const after = currentCursor(readCursors(query.value.get('after')));
  const asking = useSignal(false);
  const key = JSON.stringify([project.value, filter, after]);
  const deliveries = useResource(key, (signal) => listDeliveries(project.value, filter, after, signal));
  const opened = query.value.get('delivery');
  const listed = deliveries.data.value?.data ?? [];
  const isFiltered = Object.values(filter).some((value) => value !== '');
  const isUnused = deliveries.data.value?.data.length === 0 && after === null && !isFiltered;
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
          onChange={(status) => setFilter({ status })}
        />
        <SelectField
          label="Endpoint"
          value={filter.endpoint_id}
          options={[{ value: '', label: 'All' }, ...endpoints.map((entry) => ({ value: entry.id, label: entry.url }))]}
          onChange={(endpoint_id) => setFilter({ endpoint_id })}
        />
        <div class="row toolbar-end">
          <Button icon="refresh" onClick={() => void deliveries.reload()}>
            Refresh
          </Button>
          <Button writes disabled={isUnused} onClick={() => (asking.value = true)}>
            Resend all failed
          </Button>
        </div>
      </div>
      {filter.job_id && (
        <p class="soft small">
          Only deliveries of job <code>{filter.job_id}</code>.{' '}
          <button type="button" class="text-button" onClick={() => setFilter({ job_id: null })}>
            Show all
          </button>
        </p>
      )}
      <ResourceView resource={deliveries}>
        {(list) => (
          <>
            {list.data.length === 0 ? (
              <NoDeliveries filter={filter} isFirstPage={after === null} />
            ) : (
              <DeliveryTable rows={list.data} onOpen={(delivery) => pushQuery({ delivery })} />
            )}
            <Pager hasMore={list.has_more} lastId={list.last_id} />
          </>
        )}
      </ResourceView>
      {opened && (
        <DeliveryDialog
          id={opened}
          onChange={() => void deliveries.reload()}
          onClose={() => undoQuery({ delivery: null })}
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

// A changed filter starts again at the first page.
const setFilter = (changes: Record<string, string | null>): void => setQuery({ ...changes, after: null });

function NoDeliveries({ filter, isFirstPage }: { filter: DeliveryFilter; isFirstPage: boolean }) {
  if (!isFirstPage) return <EmptyState icon="webhooks" title="No older deliveries" />;
  if (filter.status || filter.endpoint_id) {
    return (
      <EmptyState icon="webhooks" title="No delivery matches">
        Choose another status or endpoint.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon="webhooks" title={filter.job_id ? 'Nothing was sent for this job' : 'Nothing was sent yet'}>
      Add an endpoint, or give a job a <code>webhook_url</code>. The delivery appears here when the job ends.
    </EmptyState>
  );
}
