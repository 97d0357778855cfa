// Opens the Transcribe page with a model: as the one that transcribes, or with the stage or task that it runs.
import type { ModelCapability } from '../../api/types';
import { Link } from '../../components/link';

interface TryLinkProps {
  model: { id: string; display_name: string; capabilities: ModelCapability[] };
}

export function TryLink({ model }: TryLinkProps) {
  const stage = stageOf(model.capabilities);
  if (stage === undefined) return null;
  return (
    <Link
      to="/"
      query={{ stage: stage === 'transcription' ? null : stage, model: model.id }}
      class="button plain small"
      aria-label={`Try it: ${model.display_name}`}
    >
      Try it
    </Link>
  );
}

// Language models can run the stages too, but tasks are what only they can do.
function stageOf(capabilities: ModelCapability[]): string | undefined {
  const names = capabilities.map((entry) => entry.capability);
  return ['transcription', 'task'].find((name) => names.includes(name)) ?? names[0];
}
