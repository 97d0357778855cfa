// Words for tasks on models.
import type { ModelTask, TaskAction } from './records';

const running: Record<TaskAction, string> = { pull: 'Installing', verify: 'Verifying', remove: 'Removing' };
const completed: Record<TaskAction, string> = {
  pull: 'installed',
  verify: 'verified: its files are intact',
  remove: 'removed',
};
const names: Record<TaskAction, string> = { pull: 'Install', verify: 'Verify', remove: 'Remove' };

export const actionName = (action: TaskAction): string => names[action];

export const runningText = (task: ModelTask): string =>
  task.status === 'queued' ? `${running[task.action]} (waiting to start)` : running[task.action];

export function endedText(task: ModelTask): string {
  if (task.status === 'completed') return `${task.model} is ${completed[task.action]}.`;
  if (task.status === 'cancelled') return `${running[task.action]} ${task.model} was cancelled.`;
  return `${running[task.action]} ${task.model} failed: ${task.error ?? 'no reason was given'}`;
}
