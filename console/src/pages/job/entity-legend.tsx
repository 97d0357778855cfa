// What the colours of the marked entities mean.
import { Checkbox } from '../../components/checkbox';
import { formatInteger } from '../../format/numbers';
import type { TranscriptState } from './transcript-state';

export function EntityLegend({ state }: { state: TranscriptState }) {
  const types = state.marks.value?.types ?? [];
  return (
    <section class="side-panel">
      <h2>Entities</h2>
      <Checkbox checked={state.showEntities.value} onChange={(on) => (state.showEntities.value = on)}>
        Mark in the text
      </Checkbox>
      <ul class="legend">
        {types.map(({ type, count }, index) => (
          <li key={type} class={`tone-${(index % 8) + 1}`}>
            <span class="dot" aria-hidden="true" />
            <span class="cut">{type}</span>
            <span class="soft small numeric">{formatInteger(count)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
