// One delivery with its body and every attempt.
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { CodeBlock } from '../../components/code-block';
import { Dialog } from '../../components/dialog';
import { ErrorBox } from '../../components/error-box';
import { Link } from '../../components/link';
import { ResourceView } from '../../components/resource-view';
import { Time } from '../../components/time';
import { showToast } from '../../components/toasts';
import { useAction } from '../../components/use-action';
import { useRefresh } from '../../components/use-refresh';
import { project } from '../../session';
import { useResource } from '../../use-resource';
import { AttemptList } from './attempt-list';
import { eventType, statusKind, statusText } from './delivery-words';
import { readDelivery, resendDelivery, type Delivery } from './records';

const REFRESH_MS = 3000;

interface DeliveryDialogProps {
  id: string;
  onChange: () => void;
  onClose: () => void;
}

export function DeliveryDialog({ id, onChange, onClose }: DeliveryDialogProps) {
  const delivery = useResource(id, (signal) => readDelivery(project.value, id, signal));
  const resending = useAction();
  useRefresh(delivery.reload, REFRESH_MS, delivery.data.value?.status === 'pending');
  const resend = async () => {
    await resendDelivery(project.value, id);
    showToast('The delivery is sent again.');
    onChange();
    await delivery.reload();
  };
  return (
    <Dialog
      title="Delivery"
      wide
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button writes kind="primary" icon="refresh" busy={resending.busy.value} onClick={() => resending.run(resend)}>
            Resend
          </Button>
        </>
      }
    >
      {resending.error.value && <ErrorBox error={resending.error.value} />}
      <ResourceView resource={delivery}>{(data) => <DeliveryDetails delivery={data} />}</ResourceView>
    </Dialog>
  );
}

function DeliveryDetails({ delivery }: { delivery: Delivery }) {
  return (
    <div class="stack">
      <dl class="facts">
        <div>
          <dt>Status</dt>
          <dd>
            <Badge kind={statusKind(delivery)}>{statusText(delivery)}</Badge>
          </dd>
        </div>
        <div>
          <dt>Event</dt>
          <dd>{eventType(delivery)}</dd>
        </div>
        <div>
          <dt>Created</dt>
          <dd>
            <Time seconds={delivery.created_at} exact />
          </dd>
        </div>
        {delivery.next_attempt_at !== null && (
          <div>
            <dt>Next attempt</dt>
            <dd>
              {delivery.next_attempt_at * 1000 > Date.now() ? <Time seconds={delivery.next_attempt_at} /> : 'Now'}
            </dd>
          </div>
        )}
      </dl>
      <dl class="facts">
        <div>
          <dt>URL</dt>
          <dd class="wrap">{delivery.url}</dd>
        </div>
        <div>
          <dt>Job</dt>
          <dd>
            <Link to={`/jobs/${delivery.job_id}`} class="mono">
              {delivery.job_id}
            </Link>
          </dd>
        </div>
        <div>
          <dt>webhook-id</dt>
          <dd class="wrap">
            <span class="mono">{delivery.event_id}</span>
          </dd>
        </div>
      </dl>
      <AttemptList attempts={delivery.last_attempts} />
      <CodeBlock label="Body" code={indented(delivery.body)} />
    </div>
  );
}

// Indented for reading. The signature covers the body as it was sent.
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
