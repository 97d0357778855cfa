// The languages of a model: a few by name, many behind a line that opens.
import { languageName } from '../../format/names';
import { formatInteger } from '../../format/numbers';

// More names than this do not fit beside the other facts.
const NAMES_SHOWN = 3;

export function Languages({ codes }: { codes: string[] }) {
  const names = codes.map(languageName).sort((one, other) => one.localeCompare(other));
  if (names.length === 0) return <>Any language</>;
  if (names.length <= NAMES_SHOWN) return <>{names.join(', ')}</>;
  return (
    <details class="inline-details">
      <summary>{formatInteger(names.length)} languages</summary>
      <p class="small soft">{names.join(', ')}</p>
    </details>
  );
}
