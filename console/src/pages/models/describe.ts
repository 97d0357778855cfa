// Words for what a model can do, how fast it is, and what it costs.
import type { ModelCapability } from '../../api/types';
import { stepName } from '../../format/names';
import { formatDecimal, formatUsd } from '../../format/numbers';
import type { ModelRecord, ModelSpeed } from './records';

export type ModelGroup = 'speech' | 'speakers' | 'text' | 'language';

export const groupTitles: Record<ModelGroup, { title: string; intro: string }> = {
  speech: { title: 'Speech', intro: 'Turn recordings into text.' },
  speakers: { title: 'Speakers', intro: 'Find out who spoke when.' },
  text: { title: 'Text analysis', intro: 'Chapters, entities, key phrases, sentiment, summaries and topics.' },
  language: { title: 'Language models', intro: 'Run your own instructions on a transcript.' },
};

export const groupOrder: ModelGroup[] = ['speech', 'speakers', 'text', 'language'];

export function groupOf(model: ModelRecord): ModelGroup {
  const has = (name: string) => model.capabilities.some((entry) => entry.capability === name);
  if (has('transcription')) return 'speech';
  if (has('diarization')) return 'speakers';
  return has('task') ? 'language' : 'text';
}

export function capabilityNames(capabilities: ModelCapability[]): string {
  return [...new Set(capabilities.map((entry) => stepName(entry.capability)))].join(', ');
}

// Prices are tiny per unit, so they are written per hour of audio and per million of everything else.
const priceUnits: Record<string, { factor: number; words: string }> = {
  audio_second: { factor: 3600, words: 'per hour of audio' },
  character: { factor: 1_000_000, words: 'per million characters' },
  input_token: { factor: 1_000_000, words: 'per million input tokens' },
  output_token: { factor: 1_000_000, words: 'per million output tokens' },
};

// One text for each price. If a unit has several prices, they say for what.
export function priceTexts(capabilities: ModelCapability[]): string[] {
  const paid = capabilities.filter((entry) => Number(entry.price_per_unit_usd) > 0);
  const texts = new Map<string, ModelCapability[]>();
  for (const entry of paid) texts.set(priceText(entry), [...(texts.get(priceText(entry)) ?? []), entry]);
  return [...texts].map(([text, entries]) => {
    const isOnly = paid.every((other) => other.native_unit !== entries[0]?.native_unit || entries.includes(other));
    return isOnly ? text : `${text} (${capabilityNames(entries)})`;
  });
}

function priceText(entry: ModelCapability): string {
  const unit = priceUnits[entry.native_unit] ?? { factor: 1, words: `per ${entry.native_unit}` };
  // Rounded, because a decimal times a million has digits that come only from binary fractions.
  const amount = Number((Number(entry.price_per_unit_usd) * unit.factor).toPrecision(6));
  return `${formatUsd(String(amount))} ${unit.words}`;
}

export function speedText(speed: ModelSpeed): string {
  const value = formatDecimal(speed.units_per_second);
  if (speed.unit === 'audio_second') return `${value} × real time`;
  return speed.unit === 'character' ? `${value} characters a second` : `${value} tokens a second`;
}
