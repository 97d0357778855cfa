// The models in the memory of the node that answered.
import { Link } from '../../components/link';
import { Section } from '../../components/section';
import { formatBytes } from '../../format/numbers';
import type { Overview } from './records';

export function LoadedModels({ models }: { models: Overview['loaded_models'] }) {
  return (
    <Section title="Models in memory" actions={<Link to="/models">All models</Link>}>
      <div class="card">
        {models.length === 0 ? (
          <p class="soft">None. A model is loaded when it is used for the first time.</p>
        ) : (
          <ul class="lines">
            {models.map((model) => (
              <li key={model.id}>
                <code>{model.id}</code>
                <span class="numeric soft">
                  {model.memory_bytes === null ? 'Not measured' : formatBytes(model.memory_bytes)}
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Section>
  );
}
