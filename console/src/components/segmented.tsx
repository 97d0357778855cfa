// A choice of a few, side by side. Radio buttons underneath, so arrow keys and screen readers work as everywhere.
import { useId } from 'preact/hooks';
import type { Option } from './select-field';

interface SegmentedProps {
  label: string;
  options: Option[];
  value: string;
  onChange: (value: string) => void;
}

export function Segmented({ label, options, value, onChange }: SegmentedProps) {
  const name = useId();
  return (
    <fieldset class="segmented">
      <legend class="off-screen">{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span data-label={option.label}>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
