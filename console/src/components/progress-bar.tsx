// How far something is. Without a value, it only shows that work goes on.
import { Bar } from './bar';

interface ProgressBarProps {
  label: string;
  share: number | null;
  text?: string | undefined;
}

export function ProgressBar({ label, share, text }: ProgressBarProps) {
  const look = share === null ? 'unknown' : undefined;
  return <Bar role="progressbar" label={label} share={share} text={text} look={look} />;
}
