// A labeled text of several lines.
import { Field } from './field';

interface TextAreaFieldProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  rows?: number;
  hint?: string;
  error?: string | null | undefined;
  code?: boolean;
  placeholder?: string;
}

export function TextAreaField({ label, value, onInput, rows = 3, hint, error, code, placeholder }: TextAreaFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <textarea
          {...control}
          class={code ? 'code' : undefined}
          rows={rows}
          spellcheck={!code}
          placeholder={placeholder}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
