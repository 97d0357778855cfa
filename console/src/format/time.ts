// Dates in the reader's zone and lengths of time.
import { lazily } from './lazily';

const dateTime = lazily(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }));
const fullDateTime = lazily(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' }));
const day = lazily(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }));
const clock = lazily(() => new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' }));
// Words, so they are in the language of the pages.
const relative = lazily(() => new Intl.RelativeTimeFormat('en', { numeric: 'auto' }));
const tenths = lazily(() => new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 }));

export const formatDateTime = (seconds: number): string => dateTime().format(seconds * 1000);
export const formatFullDateTime = (seconds: number): string => fullDateTime().format(seconds * 1000);
export const formatDay = (seconds: number): string => day().format(seconds * 1000);
// A date in a heading stays on one line.
export const unbroken = (text: string): string => text.replaceAll(' ', '\u00a0');
export const formatClock = (seconds: number): string => clock().format(seconds * 1000);

interface AgeUnit {
  name: Intl.RelativeTimeFormatUnit;
  seconds: number;
  // From this count on, the next unit is used.
  limit: number;
}

const ageUnits: AgeUnit[] = [
  { name: 'second', seconds: 1, limit: 60 },
  { name: 'minute', seconds: 60, limit: 60 },
  { name: 'hour', seconds: 3600, limit: 24 },
  { name: 'day', seconds: 86_400, limit: 31 },
];

// "5 minutes ago" for the last month, then the date. The rounded count is compared: 59.6 seconds are a minute.
export function formatAge(seconds: number, now = Date.now() / 1000): string {
  for (const unit of ageUnits) {
    const count = Math.round((seconds - now) / unit.seconds);
    if (Math.abs(count) < unit.limit) return relative().format(count, unit.name);
  }
  return formatDay(seconds);
}

// A position in a recording: 0:07, 12:34 or 1:02:03.
export function formatPosition(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const minutes = Math.floor(whole / 60) % 60;
  const hours = Math.floor(whole / 3600);
  const tail = String(whole % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`;
}

// How long something took: under 1 s, 12 s, 3 min 5 s, 2 h 10 min. The API counts whole seconds.
export function formatDuration(seconds: number): string {
  if (seconds < 1) return 'under 1 s';
  if (seconds < 10) return `${tenths().format(seconds)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
