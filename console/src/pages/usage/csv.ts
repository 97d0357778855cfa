// A report as a CSV file, made in the browser for users who may not read the operator's file.
import type { UsageGroup } from './records';

const columns = [
  'day',
  'model',
  'requests',
  'audio_seconds',
  'input_tokens',
  'output_tokens',
  'characters',
  'cost_usd',
];

export function toCsv(groups: UsageGroup[]): string {
  const lines = groups.map((group) => {
    const { audio_seconds, input_tokens, output_tokens, characters, cost_usd } = group.usage;
    const cells = [
      group.day,
      group.model,
      group.requests,
      audio_seconds,
      input_tokens,
      output_tokens,
      characters,
      cost_usd,
    ];
    return cells.map((cell) => quote(String(cell ?? ''))).join(',');
  });
  return [columns.join(','), ...lines].join('\r\n') + '\r\n';
}

// A name that a spreadsheet would take for a formula gets an apostrophe, as in the server's file.
function quote(value: string): string {
  const text = /^[=+@-]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
