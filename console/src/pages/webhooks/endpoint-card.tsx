// One endpoint: its health, and what can be done with it.
import { useSignal } from '@preact/signals';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { ErrorBox } from '../../components/error-box';
import { Link } from '../../components/link';
import { Notice } from '../../components/notice';
import { RecordCard } from '../../components/record-card';
import { Time } from '../../components/time';
import { showToast } from '../../components/toasts';
import { useAction } from '../../components/use-action';
import { project } from '../../session';
import { deleteEndpoint, enableEndpoint, testEndpoint, type EndpointRecord, type TestResult } from './records';
import { RotateSecret } from './rotate-secret';
import { TestOutcome } from './test-outcome';

interface EndpointCardProps {
  endpoint: EndpointRecord;
  onChange: () => void;
}

export function EndpointCard({ endpoint, onChange }: EndpointCardProps) {
  const dialog = useSignal<'rotate' | 'delete' | null>(null);
  const outcome = useSignal<TestResult | null>(null);
  const testing = useAction();
  const enabling = useAction();
  const close = () => (dialog.value = null);
  const test = async () => {
    outcome.value = null;
    outcome.value = await testEndpoint(project.value, endpoint.id);
  };
  const enable = async () => {
    await enableEndpoint(project.value, endpoint.id);
    showToast('The endpoint receives events again.');
    onChange();
  };
  const error = testing.error.value ?? enabling.error.value;
  const isEnabled = endpoint.status === 'enabled';
  return (
    <RecordCard
      title={
        <span class="wrap" title={endpoint.url}>
          {endpoint.url}
        </span>
      }
      badges={<EndpointBadge endpoint={endpoint} />}
      subtitle={<code>{endpoint.id}</code>}
      facts={[
        { label: 'Registered', value: <Time seconds={endpoint.created_at} /> },
        endpoint.failing_since === null
          ? null
          : { label: 'Failing since', value: <Time seconds={endpoint.failing_since} /> },
        endpoint.previous_secret_until === null
          ? null
          : { label: 'Old secret valid until', value: <Time seconds={endpoint.previous_secret_until} exact /> },
      ]}
      actions={
        <>
          {!isEnabled && (
            <Button writes kind="primary" size="small" busy={enabling.busy.value} onClick={() => enabling.run(enable)}>
              Enable
            </Button>
          )}
          <Button writes size="small" icon="play" busy={testing.busy.value} onClick={() => testing.run(test)}>
            Send a test
          </Button>
          <Link to="/webhooks" query={{ tab: 'deliveries', endpoint_id: endpoint.id }} class="button quiet small">
            Deliveries
          </Link>
          <Button writes kind="quiet" size="small" icon="refresh" onClick={() => (dialog.value = 'rotate')}>
            Rotate secret
          </Button>
          <Button writes kind="quiet" size="small" icon="trash" onClick={() => (dialog.value = 'delete')}>
            Delete
          </Button>
        </>
      }
    >
      {!isEnabled && (
        <Notice kind="warn">
          {endpoint.disabled_because ?? 'The endpoint is disabled.'} Repair the receiver, send a test, then enable it.
          Events from the time in between can be sent again under Deliveries.
        </Notice>
      )}
      {error && <ErrorBox error={error} />}
      {outcome.value && <TestOutcome result={outcome.value} />}
      {dialog.value === 'rotate' && <RotateSecret endpoint={endpoint} onRotated={onChange} onClose={close} />}
      {dialog.value === 'delete' && (
        <ConfirmDialog
          title="Delete this endpoint?"
          confirm="Delete"
          danger
          onConfirm={async () => {
            await deleteEndpoint(project.value, endpoint.id);
            onChange();
          }}
          onClose={close}
        >
          <p>
            <code>{endpoint.url}</code> receives nothing more. Deliveries that wait for it are dropped. This cannot be
            undone.
          </p>
        </ConfirmDialog>
      )}
    </RecordCard>
  );
}

function EndpointBadge({ endpoint }: { endpoint: EndpointRecord }) {
  if (endpoint.status === 'disabled') return <Badge kind="bad">Disabled</Badge>;
  if (endpoint.failing_since !== null) return <Badge kind="warn">Failing</Badge>;
  return <Badge kind="good">Enabled</Badge>;
}
