// A field that narrows a list while typing. Its label is for screen readers; the placeholder says the same.
import { Icon } from './icon';

interface SearchFieldProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
}

export function SearchField({ label, value, onInput }: SearchFieldProps) {
  return (
    <div class="search-field">
      <Icon name="search" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </div>
  );
}
