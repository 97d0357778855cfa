// What the marks of the entities mean: the name of each type is marked like its entities.
import { Checkbox } from '../../components/checkbox';
import { formatInteger } from '../../format/numbers';
import { entityLook } from './entity-look';
import type { TranscriptState } from './transcript-state';

export function EntityLegend({ state }: { state: TranscriptState }) {
  const types = state.marks.value?.types ?? [];
  const speakers = state.model.value?.speakers.length ?? 0;
  return (
    <section class="side-panel">
      <h2>Entities</h2>
      <Checkbox checked={state.showEntities.value} onChange={(on) => (state.showEntities.value = on)}>
        Mark in the text
      </Checkbox>
      <ul class="legend">
        {types.map(({ type, count }, index) => (
          <li key={type}>
            <span class="cut">
              <mark class={entityLook(index, speakers)}>{type}</mark>
            </span>
            <span class="soft small numeric">{formatInteger(count)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
