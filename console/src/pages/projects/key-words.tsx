// What the lists of API keys and of operator keys have in common.
import { Badge } from '../../components/badge';
import type { Fact } from '../../components/record-card';
import type { Option } from '../../components/select-field';
import { Time } from '../../components/time';
import type { KeyState, OperatorKey } from './records';

export const lifetimes: Option[] = [
  { value: '7776000', label: '90 days' },
  { value: '2592000', label: '30 days' },
  { value: '31536000', label: 'One year' },
  { value: 'none', label: 'It never expires' },
];

export const firstLifetime = 7_776_000;

export function KeyBadge({ state }: { state: KeyState }) {
  if (state === 'active') return <Badge kind="good">Active</Badge>;
  return state === 'expired' ? <Badge>Expired</Badge> : <Badge kind="bad">Revoked</Badge>;
}

export function keyFacts(key: OperatorKey): (Fact | null)[] {
  return [
    { label: 'Created', value: <Time seconds={key.created_at} /> },
    { label: 'Last used', value: key.last_used_at === null ? 'Never' : <Time seconds={key.last_used_at} /> },
    key.revoked_at === null
      ? {
          label: key.state === 'expired' ? 'Expired' : 'Expires',
          value: key.expires_at === null ? 'Never' : <Time seconds={key.expires_at} />,
        }
      : { label: 'Revoked', value: <Time seconds={key.revoked_at} /> },
  ];
}

// "Read and write".
export function accessText(scopes: string[]): string {
  const text = scopes.join(' and ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export const keyTitle = (key: OperatorKey): string => key.name || 'Unnamed key';

// Keys that work come first, then the newest.
export function sortKeys<T extends OperatorKey>(keys: T[]): T[] {
  const rank = (key: T) => (key.state === 'active' ? 0 : 1);
  return [...keys].sort((one, other) => rank(one) - rank(other) || other.created_at - one.created_at);
}
