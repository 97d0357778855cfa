// One model of the catalogue: facts, progress of its task, and what can be done.
import { useSignal } from '@preact/signals';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { ErrorBox } from '../../components/error-box';
import { RecordCard } from '../../components/record-card';
import { useAction } from '../../components/use-action';
import { formatBytes } from '../../format/numbers';
import { capabilityNames, groupOf } from './describe';
import { Languages } from './languages';
import { License } from './license';
import { Prices } from './prices';
import { startTask, type ModelRecord, type ModelTask, type TaskAction } from './records';
import { Speed } from './speed';
import { TaskProgress } from './task-progress';
import { TryLink } from './try-link';

interface ModelCardProps {
  model: ModelRecord;
  task: ModelTask | null;
  node: string | null;
  // The name of another model, by its id.
  nameOf: (modelId: string) => string;
  onTask: (task: ModelTask) => void;
}

export function ModelCard({ model, task, node, nameOf, onTask }: ModelCardProps) {
  const action = useAction();
  const asking = useSignal(false);
  const start = async (name: TaskAction) => onTask(await startTask(name, model.id, node));
  return (
    <RecordCard
      title={model.display_name}
      badges={<ModelBadges model={model} />}
      subtitle={
        <>
          <code>{model.id}</code>
          {groupOf(model) === 'text' && <> · {capabilityNames(model.capabilities) || 'Part of other models'}</>}
        </>
      }
      facts={[
        { label: 'Size', value: sizeText(model, nameOf) },
        { label: 'Speed', value: <Speed speed={model.speed} /> },
        { label: 'Languages', value: <Languages codes={model.languages} /> },
        { label: 'Price', value: <Prices capabilities={model.capabilities} /> },
        { label: 'License', value: <License name={model.license} /> },
      ]}
      actions={
        !task && (
          <ModelActions
            model={model}
            busy={action.busy.value}
            onStart={(name) => void action.run(() => start(name))}
            onRemove={() => (asking.value = true)}
          />
        )
      }
    >
      {task && <TaskProgress task={task} onTask={onTask} />}
      {action.error.value && <ErrorBox error={action.error.value} />}
      {asking.value && (
        <ConfirmDialog
          title={`Remove “${model.display_name}”?`}
          confirm="Remove"
          danger
          onConfirm={() => start('remove')}
          onClose={() => (asking.value = false)}
        >
          <p>
            Its files ({formatBytes(model.bytes)}) are deleted. Requests for <code>{model.id}</code> are refused until
            it is installed again.
          </p>
          {model.source === 'local' && (
            <p>
              You added this model yourself. To use it again, you need its file and <code>auris models add</code>.
            </p>
          )}
        </ConfirmDialog>
      )}
    </RecordCard>
  );
}

// Some models have no files and use those of another one, which is installed with them.
function sizeText({ bytes, state, uses }: ModelRecord, nameOf: (modelId: string) => string): string {
  if (bytes > 0) return formatBytes(bytes);
  if (uses.length > 0) return `Uses ${uses.map(nameOf).join(', ')}`;
  return state === 'remote' ? 'On another server' : 'Built in';
}

function ModelBadges({ model }: { model: ModelRecord }) {
  return (
    <>
      {model.loaded && <Badge kind="live">In memory</Badge>}
      {model.state === 'installed' && !model.loaded && <Badge kind="good">Installed</Badge>}
      {model.state === 'built in' && <Badge kind="good">Built in</Badge>}
      {model.state === 'remote' && <Badge kind="info">On another server</Badge>}
      {model.state === 'chooses' && <Badge kind="info">Chooses the best installed</Badge>}
      {model.state === 'not installed' && <Badge>Not installed</Badge>}
      {model.required_plan && <Badge kind="info">Plan {model.required_plan}</Badge>}
      {model.source === 'local' && <Badge>Added by you</Badge>}
      {model.untested && <Badge kind="warn">Untested</Badge>}
    </>
  );
}

interface ModelActionsProps {
  model: ModelRecord;
  busy: boolean;
  onStart: (action: TaskAction) => void;
  onRemove: () => void;
}

function ModelActions({ model, busy, onStart, onRemove }: ModelActionsProps) {
  const isMissing = model.state === 'not installed';
  const label = (words: string) => `${words}: ${model.display_name}`;
  return (
    <>
      {isMissing && model.source === 'catalogue' && (
        <Button
          kind="primary"
          size="small"
          icon="download"
          busy={busy}
          aria-label={label('Install')}
          onClick={() => onStart('pull')}
        >
          Install
        </Button>
      )}
      {!isMissing && <TryLink model={model} />}
      {model.state === 'installed' && (
        <Button
          kind="quiet"
          size="small"
          icon="check"
          busy={busy}
          aria-label={label('Verify')}
          onClick={() => onStart('verify')}
        >
          Verify
        </Button>
      )}
      {(model.state === 'installed' || (isMissing && model.source === 'local')) && (
        <Button kind="quiet" size="small" icon="trash" aria-label={label('Remove')} onClick={onRemove}>
          Remove
        </Button>
      )}
    </>
  );
}
