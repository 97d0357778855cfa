// The measured speed of a model, and on what it was measured.
import { formatBytes, formatInteger, plural } from '../../format/numbers';
import { speedText } from './describe';
import type { ModelSpeed } from './records';

export function Speed({ speed }: { speed: ModelSpeed | null }) {
  if (!speed) return <span class="soft">Not measured</span>;
  return (
    <details class="inline-details">
      <summary>{speedText(speed)}</summary>
      <p class="small soft">
        {plural(speed.threads, 'thread')} on {speed.cpu} ({speed.kernels})
        {speed.memory_bytes !== null && <>, {formatBytes(speed.memory_bytes)} of memory</>}
        {speed.load_milliseconds !== null && <>, loaded in {formatInteger(speed.load_milliseconds)} ms</>}
      </p>
    </details>
  );
}
