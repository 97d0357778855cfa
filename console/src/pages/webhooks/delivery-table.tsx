// Deliveries as a table. The event opens the details.
import { Badge } from '../../components/badge';
import { Table } from '../../components/table';
import { Time } from '../../components/time';
import { formatInteger } from '../../format/numbers';
import { eventType, resultText, statusKind, statusText } from './delivery-words';
import type { Delivery } from './records';

interface DeliveryTableProps {
  rows: Delivery[];
  onOpen: (deliveryId: string) => void;
}

export function DeliveryTable({ rows, onOpen }: DeliveryTableProps) {
  return (
    <Table
      caption="Deliveries"
      rows={rows}
      rowKey={(delivery) => delivery.id}
      columns={[
        {
          id: 'event',
          title: 'Event',
          cell: (delivery) => (
            <button
              type="button"
              class="text-button"
              aria-label={`${eventType(delivery)}: details of delivery ${delivery.id}`}
              onClick={() => onOpen(delivery.id)}
            >
              {eventType(delivery)}
            </button>
          ),
        },
        {
          id: 'status',
          title: 'Status',
          cell: (delivery) => <Badge kind={statusKind(delivery)}>{statusText(delivery)}</Badge>,
        },
        { id: 'created', title: 'Created', cell: (delivery) => <Time seconds={delivery.created_at} /> },
        {
          id: 'result',
          title: 'Last attempt',
          cell: (delivery) => (
            <span title={delivery.last_attempts.at(-1)?.error ?? undefined}>{resultText(delivery)}</span>
          ),
        },
        { id: 'attempts', title: 'Attempts', number: true, cell: (delivery) => formatInteger(delivery.attempts) },
        {
          id: 'url',
          title: 'URL',
          cell: (delivery) => (
            <span class="url-cell cut" title={delivery.url}>
              {delivery.url}
            </span>
          ),
        },
      ]}
    />
  );
}
