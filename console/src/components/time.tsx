// A point in time: how long ago, with the full date as a tooltip.
import { formatAge, formatDateTime, formatFullDateTime } from '../format/time';

interface TimeProps {
  seconds: number;
  exact?: boolean;
}

export function Time({ seconds, exact = false }: TimeProps) {
  return (
    <time dateTime={new Date(seconds * 1000).toISOString()} title={formatFullDateTime(seconds)}>
      {exact ? formatDateTime(seconds) : formatAge(seconds)}
    </time>
  );
}
