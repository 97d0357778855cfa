// The entities by type, each with how often it occurs. With a recording, a click jumps to its first occurrence.
import { useMemo } from 'preact/hooks';
import type { Entity } from '../../api/types';
import { formatInteger } from '../../format/numbers';
import { entityLook } from './entity-look';

interface EntitiesTabProps {
  entities: Entity[];
  types: string[];
  speakers: number;
  // Null without a recording.
  onJump: ((entity: Entity) => void) | null;
}

interface Named {
  entity: Entity;
  count: number;
}

export function EntitiesTab({ entities, types, speakers, onJump }: EntitiesTabProps) {
  const groups = useMemo(() => groupByType(entities, types), [entities, types]);
  if (entities.length === 0) return <p class="soft">No entities were found.</p>;
  return (
    <div class="entity-groups">
      {groups.map(([type, named], index) => (
        <section key={type}>
          <h2>
            <mark class={entityLook(index, speakers)}>{type}</mark>
          </h2>
          <ul>
            {named.map(({ entity, count }) => (
              <li key={entity.text}>
                {onJump && entity.start !== null ? (
                  <button type="button" class="text-button" onClick={() => onJump(entity)}>
                    {entity.text}
                  </button>
                ) : (
                  <span>{entity.text}</span>
                )}
                <span class="soft small numeric">{formatInteger(count)}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function groupByType(entities: Entity[], types: string[]): [string, Named[]][] {
  const byType = new Map<string, Map<string, Named>>(types.map((type) => [type, new Map<string, Named>()]));
  for (const entity of entities) {
    const group = byType.get(entity.type) ?? new Map<string, Named>();
    byType.set(entity.type, group);
    const named = group.get(entity.text);
    if (named) named.count += 1;
    else group.set(entity.text, { entity, count: 1 });
  }
  return [...byType].map(([type, group]) => [type, [...group.values()].sort((a, b) => b.count - a.count)]);
}
