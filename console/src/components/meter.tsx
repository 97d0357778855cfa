// How full something is.
import { Bar } from './bar';

interface MeterProps {
  label: string;
  share: number;
  text: string;
  // From this share on, the bar warns.
  warnFrom?: number;
}

export function Meter({ label, share, text, warnFrom = 0.9 }: MeterProps) {
  return <Bar role="meter" label={label} share={share} text={text} look={share >= warnFrom ? 'warn' : undefined} />;
}
