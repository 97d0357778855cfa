// A labeled line of text.
import type { InputHTMLAttributes } from 'preact';
import { Field } from './field';

interface TextFieldProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  hint?: string;
  error?: string | null | undefined;
  input?: InputHTMLAttributes<HTMLInputElement>;
}

export function TextField({ label, value, onInput, hint, error, input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <input
          type="text"
          {...input}
          {...control}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
