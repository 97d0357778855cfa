// How full something is.

interface MeterProps {
  label: string;
  share: number;
  text: string;
  // From this share on, the bar warns.
  warnFrom?: number;
}

export function Meter({ label, share, text, warnFrom = 0.9 }: MeterProps) {
  const percent = Math.round(Math.min(1, Math.max(0, share)) * 100);
  return (
    <div
      class={share >= warnFrom ? 'progress warn' : 'progress'}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      aria-valuetext={text}
    >
      <div style={{ width: `${percent}%` }} />
    </div>
  );
}
