// A coloured word.
import type { ComponentChildren } from 'preact';

interface BadgeProps {
  kind?: 'good' | 'bad' | 'warn' | 'info' | 'live' | 'plain';
  children: ComponentChildren;
}

export function Badge({ kind = 'plain', children }: BadgeProps) {
  return <span class={`badge ${kind}`}>{children}</span>;
}
