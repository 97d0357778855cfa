// The license of a model.

export function License({ name }: { name: string | null }) {
  return name === null ? <span class="soft">Not stated</span> : <>{name}</>;
}
