// The two limits of a project.
import type { Signal } from '@preact/signals';
import { TextField } from '../../components/text-field';
import { limitProblem } from './limit-words';

interface LimitFieldsProps {
  requests: Signal<string>;
  transcriptions: Signal<string>;
  errorOf: (param: string) => string | null;
}

export function LimitFields({ requests, transcriptions, errorOf }: LimitFieldsProps) {
  return (
    <div class="fields">
      <LimitField
        label="Requests per minute"
        value={requests}
        error={errorOf('requests_per_minute')}
        hint="Empty: the server’s default. 0: unlimited."
      />
      <LimitField
        label="Transcriptions at a time"
        value={transcriptions}
        error={errorOf('concurrent_transcriptions')}
        hint="Only calls that wait for the answer count. Empty: the server’s default. 0: unlimited."
      />
    </div>
  );
}

function LimitField({
  label,
  value,
  error,
  hint,
}: {
  label: string;
  value: Signal<string>;
  error: string | null;
  hint: string;
}) {
  return (
    <TextField
      label={label}
      value={value.value}
      onInput={(text) => (value.value = text)}
      hint={hint}
      error={limitProblem(value.value) ?? error}
      input={{ inputMode: 'numeric', autocomplete: 'off' }}
    />
  );
}
