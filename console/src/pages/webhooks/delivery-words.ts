// Words for deliveries and their attempts.
import type { Attempt, Delivery } from './records';

export function statusKind(delivery: Delivery): 'good' | 'bad' | 'warn' | 'info' {
  if (delivery.status === 'delivered') return 'good';
  if (delivery.status === 'failed') return 'bad';
  return delivery.attempts > 0 ? 'warn' : 'info';
}

export function statusText(delivery: Delivery): string {
  if (delivery.status === 'delivered') return 'Delivered';
  if (delivery.status === 'failed') return 'Failed';
  return delivery.attempts > 0 ? 'Will be retried' : 'Waiting';
}

export function eventType(delivery: Delivery): string {
  try {
    return (JSON.parse(delivery.body) as { type?: string }).type ?? 'Unknown';
  } catch {
    return 'Unknown';
  }
}

export const isSuccess = (attempt: Attempt): boolean =>
  attempt.status !== null && attempt.status >= 200 && attempt.status < 300;

export const attemptText = ({ status }: Attempt): string => (status === null ? 'No answer' : `Status ${status}`);

export function resultText(delivery: Delivery): string {
  const last = delivery.last_attempts.at(-1);
  return last ? attemptText(last) : 'Not attempted yet';
}
