// The filter of the jobs list, kept in the address so that it survives a reload and can be shared.
import { computed } from '@preact/signals';
import type { JobFilter } from '../../api/job-search';
import { query } from '../../router';

export const filterNames = ['status', 'operation', 'from', 'to'] as const;

export const jobFilter = computed((): JobFilter => {
  const filter: JobFilter = {};
  const status = query.value.get('status');
  const operation = query.value.get('operation');
  const from = dayStart(query.value.get('from'), 0);
  const to = dayStart(query.value.get('to'), 1);
  if (status) filter.status = status;
  if (operation) filter.operation = operation;
  if (from !== null) filter.created_after = from;
  if (to !== null) filter.created_before = to;
  return filter;
});

export const hasFilter = computed(() => filterNames.some((name) => query.value.has(name)));

// The first second of a day in the reader's zone, or of a later one.
function dayStart(day: string | null, daysLater: number): number | null {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '');
  if (!parts) return null;
  const date = new Date(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]) + daysLater);
  return Math.floor(date.getTime() / 1000);
}
