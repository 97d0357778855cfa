// Which days and which projects a report covers.
import { useSignal } from '@preact/signals';
import { SelectField } from '../../components/select-field';
import { TextField } from '../../components/text-field';
import { ProjectScope } from '../../layout/project-scope';
import { isPeriod, lastDays, lengthInDays, LONGEST_PERIOD_DAYS, presets, toDay } from './period';
import type { Period } from './records';

interface PeriodFieldsProps {
  period: Period;
  onChange: (period: Period) => void;
}

const CUSTOM = 'custom';

export function PeriodFields({ period, onChange }: PeriodFieldsProps) {
  const choice = useSignal('30');
  const typed = useSignal(period);
  const choose = (id: string) => {
    choice.value = id;
    const preset = presets.find((entry) => entry.id === id);
    if (preset) onChange(lastDays(preset.days));
    else typed.value = period;
  };
  const type = (change: Partial<Period>) => {
    typed.value = { ...typed.value, ...change };
    if (problemOf(typed.value) === null) onChange(typed.value);
  };
  const options = presets.map((entry) => ({ value: entry.id, label: entry.label }));
  return (
    <div class="toolbar">
      <ProjectScope />
      <SelectField
        label="Period"
        value={choice.value}
        options={[...options, { value: CUSTOM, label: 'Choose days' }]}
        onChange={choose}
      />
      {choice.value === CUSTOM && (
        <>
          <TextField
            label="First day"
            value={typed.value.first_day}
            onInput={(first_day) => type({ first_day })}
            input={{ type: 'date', max: toDay(Date.now()) }}
          />
          <TextField
            label="Last day"
            value={typed.value.last_day}
            onInput={(last_day) => type({ last_day })}
            error={problemOf(typed.value)}
            input={{ type: 'date', max: toDay(Date.now()) }}
          />
        </>
      )}
      <p class="soft small toolbar-end">Days are in UTC.</p>
    </div>
  );
}

function problemOf(period: Period): string | null {
  if (!isPeriod(period)) return 'Choose a last day that is not before the first day.';
  return lengthInDays(period) > LONGEST_PERIOD_DAYS ? 'Choose at most two years.' : null;
}
