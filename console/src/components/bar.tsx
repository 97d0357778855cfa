// A bar that is filled to a share, with its value for screen readers.

interface BarProps {
  role: 'meter' | 'progressbar';
  label: string;
  // From 0 to 1, or null if it is unknown.
  share: number | null;
  text?: string | undefined;
  look?: 'warn' | 'unknown' | undefined;
}

// Percent of the bar that moves while the share is unknown.
const UNKNOWN_WIDTH = 30;

export function Bar({ role, label, share, text, look }: BarProps) {
  const percent = share === null ? undefined : Math.round(Math.min(1, Math.max(0, share)) * 100);
  return (
    <div
      class={look ? `progress ${look}` : 'progress'}
      role={role}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      aria-valuetext={text}
    >
      <div style={{ width: `${percent ?? UNKNOWN_WIDTH}%` }} />
    </div>
  );
}
