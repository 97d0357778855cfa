// The labels of a vertical axis, with as many digits as its step needs.
import { formatInteger } from '../../format/numbers';

export interface Axis {
  // The distances between labels that can be chosen, ascending.
  steps: number[];
  format: (value: number, step: number) => string;
}

// 1, 2 and 5 times the powers of ten.
const decimalSteps = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index).flatMap((power) =>
    [1, 2, 5].map((digit) => Number(`${digit}e${power}`)),
  );

// Counts have no fractions.
export const countAxis: Axis = { steps: decimalSteps(0, 15), format: formatInteger };

export const costAxis: Axis = {
  steps: decimalSteps(-10, 12),
  format: (value, step) =>
    new Intl.NumberFormat(undefined, {
      style: 'currency',
      currency: 'USD',
      minimumFractionDigits: step < 1 ? Math.max(2, -Math.floor(Math.log10(step))) : 0,
      maximumFractionDigits: step < 1 ? Math.max(2, -Math.floor(Math.log10(step))) : 0,
    }).format(value),
};

const MINUTE = 60;
const HOUR = 3600;

// Whole seconds, minutes or hours: each step is in the unit of its labels.
export const audioAxis: Axis = {
  steps: [
    ...[1, 2, 5, 10, 15, 30],
    ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
    ...decimalSteps(0, 9).map((hours) => hours * HOUR),
  ],
  format: (value, step) => {
    if (step < MINUTE) return `${formatInteger(value)} s`;
    if (step < HOUR) return `${formatInteger(value / MINUTE)} min`;
    return `${formatInteger(value / HOUR)} h`;
  },
};
