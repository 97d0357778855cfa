// The loudness of the microphone as a bar.
import type { ReadonlySignal } from '@preact/signals';

export function LevelMeter({ level }: { level: ReadonlySignal<number> }) {
  const percent = Math.round(level.value * 100);
  return (
    <div
      class="level-meter"
      role="meter"
      aria-label="Level"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
    >
      <div style={{ width: `${percent}%` }} />
    </div>
  );
}
