// How long a key works, or how long an old secret stays valid: common lengths, or a number of days.
import { useSignal } from '@preact/signals';
import { SelectField, type Option } from './select-field';
import { TextField } from './text-field';

interface DurationFieldProps {
  label: string;
  options: Option[];
  hint?: string;
  error?: string | null;
  // Seconds, or null for an option with the value `none`. NaN if the number of days is not valid.
  onChange: (seconds: number | null) => void;
}

const CUSTOM = 'custom';
const DAY_SECONDS = 86_400;

export function DurationField({ label, options, hint, error, onChange }: DurationFieldProps) {
  const choice = useSignal(options[0]?.value ?? '');
  const days = useSignal('14');
  const choose = (value: string) => {
    choice.value = value;
    onChange(secondsOf(value, days.value));
  };
  const type = (value: string) => {
    days.value = value;
    onChange(secondsOf(CUSTOM, value));
  };
  return (
    <>
      <SelectField
        label={label}
        value={choice.value}
        options={[...options, { value: CUSTOM, label: 'Another number of days' }]}
        onChange={choose}
        {...(hint ? { hint } : {})}
        error={choice.value === CUSTOM ? null : error}
      />
      {choice.value === CUSTOM && (
        <TextField
          label="Days"
          value={days.value}
          onInput={type}
          error={Number.isNaN(secondsOf(CUSTOM, days.value)) ? 'Enter a whole number of days, for example 14.' : error}
          input={{ inputMode: 'numeric', autocomplete: 'off' }}
        />
      )}
    </>
  );
}

function secondsOf(choice: string, days: string): number | null {
  if (choice === 'none') return null;
  if (choice !== CUSTOM) return Number(choice);
  return /^[1-9][0-9]{0,4}$/.test(days.trim()) ? Number(days) * DAY_SECONDS : NaN;
}
