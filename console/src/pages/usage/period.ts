// The days of a report. They are days in UTC, as the server counts them.
import { lazily } from '../../format/lazily';
import type { Period } from './records';

export const presets = [
  { id: '7', label: 'Last 7 days', days: 7 },
  { id: '30', label: 'Last 30 days', days: 30 },
  { id: '90', label: 'Last 90 days', days: 90 },
] as const;

const DAY_MS = 86_400_000;

export const toDay = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);
export const dayStart = (day: string): number => Date.parse(`${day}T00:00:00Z`);

// The days up to today, today included.
export function lastDays(count: number, now = Date.now()): Period {
  return { first_day: toDay(now - (count - 1) * DAY_MS), last_day: toDay(now) };
}

// Every day of the period, also those without usage, so that a chart has no gaps.
export function daysOf(period: Period): string[] {
  const days: string[] = [];
  for (let moment = dayStart(period.first_day); moment <= dayStart(period.last_day); moment += DAY_MS) {
    days.push(toDay(moment));
  }
  return days;
}

export function isPeriod(period: Period): boolean {
  const first = dayStart(period.first_day);
  const last = dayStart(period.last_day);
  return Number.isFinite(first) && Number.isFinite(last) && first <= last;
}

// The longest period that the page asks for, in days. More bars than this look the same.
export const LONGEST_PERIOD_DAYS = 731;

export const lengthInDays = (period: Period): number =>
  Math.round((dayStart(period.last_day) - dayStart(period.first_day)) / DAY_MS) + 1;

const dayName = lazily(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' }));

export const formatUtcDay = (day: string): string => dayName().format(dayStart(day));
