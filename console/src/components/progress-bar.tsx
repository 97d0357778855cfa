// How far something is. Without a value, it only shows that work goes on.

interface ProgressBarProps {
  label: string;
  share: number | null;
  text?: string | undefined;
}

export function ProgressBar({ label, share, text }: ProgressBarProps) {
  const percent = share === null ? undefined : Math.round(Math.min(1, Math.max(0, share)) * 100);
  return (
    <div
      class={share === null ? 'progress unknown' : 'progress'}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      aria-valuetext={text}
    >
      <div style={{ width: `${percent ?? 30}%` }} />
    </div>
  );
}
