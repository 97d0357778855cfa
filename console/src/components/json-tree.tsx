// A JSON value with folding. Children are made when a node is opened, so that large values stay fast.
import { useSignal } from '@preact/signals';
import { formatInteger } from '../format/numbers';

// Children shown per node at first; more come on request.
const CHILDREN_SHOWN = 100;

interface JsonTreeProps {
  value: unknown;
  name?: string | undefined;
  open?: boolean;
}

export function JsonTree({ value, name, open = false }: JsonTreeProps) {
  if (value === null || typeof value !== 'object') {
    return (
      <div class="json-leaf">
        <JsonName name={name} />
        <JsonLeaf value={value} />
      </div>
    );
  }
  return <JsonNode value={value} name={name} open={open} />;
}

function JsonNode({ value, name, open }: { value: object; name: string | undefined; open: boolean }) {
  const isOpen = useSignal(open);
  const shown = useSignal(CHILDREN_SHOWN);
  const entries = Object.entries(value) as [string, unknown][];
  const isArray = Array.isArray(value);
  return (
    <details
      class="json-node"
      open={isOpen.value}
      onToggle={(event) => {
        if (event.target === event.currentTarget) isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>
        <JsonName name={name} />
        <span class="soft">
          {isArray ? `[${formatInteger(entries.length)}]` : `{${formatInteger(entries.length)}}`}
        </span>
      </summary>
      {isOpen.value && (
        <div class="json-children">
          {entries.slice(0, shown.value).map(([key, child]) => (
            <JsonTree key={key} name={key} value={child} />
          ))}
          {entries.length > shown.value && (
            <button type="button" class="text-button" onClick={() => (shown.value += 10 * CHILDREN_SHOWN)}>
              Show more of {formatInteger(entries.length)}
            </button>
          )}
        </div>
      )}
    </details>
  );
}

function JsonName({ name }: { name: string | undefined }) {
  return name === undefined ? null : <span class="json-key">{name}: </span>;
}

function JsonLeaf({ value }: { value: unknown }) {
  if (typeof value === 'string') return <span class="json-string">{JSON.stringify(value)}</span>;
  return <span class="json-number">{String(value)}</span>;
}
