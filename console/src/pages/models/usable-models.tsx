// The models that the project can use now, and those that need a higher plan.
import { listModels } from '../../api/models';
import type { Model } from '../../api/types';
import { EmptyState } from '../../components/empty-state';
import { PageHeader } from '../../components/page-header';
import { RecordList } from '../../components/record-card';
import { ResourceView } from '../../components/resource-view';
import { Section } from '../../components/section';
import { project } from '../../session';
import { useResource } from '../../use-resource';
import { UsableModel } from './usable-model';

export function UsableModels() {
  const models = useResource(project.value, (signal) => listModels(project.value, signal));
  return (
    <>
      <PageHeader title="Models" intro="What this project can use now, and what it costs." />
      <ResourceView resource={models}>
        {(list) => {
          // Some models are only parts of others.
          const useful = list.data.filter((model) => model.capabilities.length > 0);
          const ready = useful.filter((model) => model.in_plan);
          const higher = useful.filter((model) => !model.in_plan);
          return (
            <div class="stack">
              {ready.length === 0 ? (
                <EmptyState icon="models" title="No model can be used yet">
                  Ask an operator to install one.
                </EmptyState>
              ) : (
                <ModelSection title="Ready to use" models={ready} />
              )}
              {higher.length > 0 && <ModelSection title="With a higher plan" models={higher} />}
            </div>
          );
        }}
      </ResourceView>
    </>
  );
}

function ModelSection({ title, models }: { title: string; models: Model[] }) {
  return (
    <Section title={title}>
      <RecordList kind="models" label={title}>
        {models.map((model) => (
          <UsableModel key={model.id} model={model} />
        ))}
      </RecordList>
    </Section>
  );
}
