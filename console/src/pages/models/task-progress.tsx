// The progress of one task, with a button that cancels it.
import { Button } from '../../components/button';
import { ErrorBox } from '../../components/error-box';
import { ProgressBar } from '../../components/progress-bar';
import { useAction } from '../../components/use-action';
import { formatBytes, formatPercent } from '../../format/numbers';
import { cancelTask, type ModelTask } from './records';
import { runningText } from './task-words';

interface TaskProgressProps {
  task: ModelTask;
  onTask: (task: ModelTask) => void;
}

export function TaskProgress({ task, onTask }: TaskProgressProps) {
  const cancelling = useAction();
  const { file, done_bytes: done, total_bytes: total } = task.progress;
  const share = total > 0 ? done / total : null;
  const text = share === null ? '' : `${formatPercent(share)}, ${formatBytes(done)} of ${formatBytes(total)}`;
  return (
    <div class="task-progress">
      <div class="row between">
        <span>
          <strong>{runningText(task)}</strong>
          {text && <span class="soft numeric"> · {text}</span>}
        </span>
        <Button
          size="small"
          icon="stop"
          busy={cancelling.busy.value}
          aria-label={`Cancel: ${runningText(task)} ${task.model}`}
          onClick={() => cancelling.run(async () => onTask(await cancelTask(task.id)))}
        >
          Cancel
        </Button>
      </div>
      <ProgressBar label={`${runningText(task)} ${task.model}`} share={share} text={text || undefined} />
      {file && <p class="small soft cut">{file}</p>}
      {cancelling.error.value && <ErrorBox error={cancelling.error.value} />}
    </div>
  );
}
