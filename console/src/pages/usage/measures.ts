// What a chart can show: the measure of a group, and how its values are written.
import { formatDecimal, formatInteger, formatUsd } from '../../format/numbers';
import { audioAxis, costAxis, countAxis, type Axis } from './axis';
import type { UsageTotal } from './records';

export type MeasureName = 'cost' | 'audio' | 'requests' | 'tokens' | 'characters';

export interface Measure {
  name: MeasureName;
  label: string;
  value: (total: UsageTotal) => number;
  format: (value: number) => string;
  axis: Axis;
}

export const measures: Measure[] = [
  {
    name: 'cost',
    label: 'Cost',
    value: (total) => Number(total.usage.cost_usd),
    format: (value) => formatUsd(String(value)),
    axis: costAxis,
  },
  { name: 'audio', label: 'Audio', value: (total) => total.usage.audio_seconds, format: formatAudio, axis: audioAxis },
  { name: 'requests', label: 'Model calls', value: (total) => total.requests, format: formatInteger, axis: countAxis },
  {
    name: 'tokens',
    label: 'Tokens',
    value: (total) => total.usage.input_tokens + total.usage.output_tokens,
    format: formatInteger,
    axis: countAxis,
  },
  {
    name: 'characters',
    label: 'Characters',
    value: (total) => total.usage.characters,
    format: formatInteger,
    axis: countAxis,
  },
];

export const measureOf = (name: MeasureName): Measure =>
  measures.find((measure) => measure.name === name) ?? (measures[0] as Measure);

// The cost says most, unless everything is free.
export function firstMeasure(total: UsageTotal): MeasureName {
  if (Number(total.usage.cost_usd) > 0) return 'cost';
  return total.usage.audio_seconds > 0 ? 'audio' : 'requests';
}

// Seconds of audio in the unit that keeps the number short.
export function formatAudio(seconds: number): string {
  if (seconds < 60) return `${formatInteger(seconds)} s`;
  if (seconds < 3600) return `${formatDecimal(Math.round(seconds / 6) / 10)} min`;
  return `${formatDecimal(Math.round(seconds / 360) / 10)} h`;
}
