// Numbers, sizes and money in the reader's locale.
import { lazily } from './lazily';

const integer = lazily(() => new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 }));
const decimal = lazily(() => new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 }));
const percent = lazily(() => new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 }));
const dollars = lazily(() => new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD' }));
// Small amounts keep two significant digits, because a minute of audio may cost less than a cent.
const smallDollars = lazily(
  () =>
    new Intl.NumberFormat(undefined, {
      style: 'currency',
      currency: 'USD',
      minimumFractionDigits: 2,
      maximumSignificantDigits: 2,
      minimumSignificantDigits: 1,
    }),
);

export const formatInteger = (value: number): string => integer().format(value);
export const formatDecimal = (value: number): string => decimal().format(value);
// With the minus sign of mathematics, as in the text around it, in place of the hyphen that some locales write.
export const formatScore = (value: number): string => decimal().format(value).replace(/^-/, '\u2212');
export const formatPercent = (share: number): string => percent().format(share);

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

// Sizes count in steps of 1,000, as disks, browsers and the command line do.
export function formatBytes(bytes: number): string {
  let step = 0;
  while (step < byteUnits.length - 1 && bytes >= 1000 ** (step + 1)) step += 1;
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: byteUnits[step] ?? 'byte',
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: step === 0 ? 0 : 1,
  }).format(bytes / 1000 ** step);
}

export function formatUsd(amount: string | null | undefined): string {
  if (amount === null || amount === undefined) return '–';
  const value = Number(amount);
  const isSmall = value !== 0 && Math.abs(value) < 0.1;
  return (isSmall ? smallDollars() : dollars()).format(value);
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatInteger(count)} ${count === 1 ? one : many}`;
