// The status of a job or step as a coloured word.
import { statusName } from '../format/names';

const kinds: Record<string, string> = {
  completed: 'good',
  failed: 'bad',
  in_progress: 'live',
  cancelling: 'live',
  queued: 'info',
};

export function StatusBadge({ status }: { status: string }) {
  return <span class={`badge ${kinds[status] ?? 'plain'}`}>{statusName(status)}</span>;
}
