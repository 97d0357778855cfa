// The models that the project can use now, with their prices.
import { listModels } from '../../api/models';
import { Badge } from '../../components/badge';
import { EmptyState } from '../../components/empty-state';
import { Link } from '../../components/link';
import { PageHeader } from '../../components/page-header';
import { RecordCard, RecordList } from '../../components/record-card';
import { ResourceView } from '../../components/resource-view';
import { Section } from '../../components/section';
import type { Model } from '../../api/types';
import { project } from '../../session';
import { useResource } from '../../use-resource';
import { capabilityNames, canTranscribe } from './describe';
import { Prices } from './prices';

export function UsableModels() {
  const models = useResource(project.value, (signal) => listModels(project.value, signal));
  return (
    <>
      <PageHeader title="Models" intro="What this project can use now, and what it costs." />
      <ResourceView resource={models}>
        {(list) =>
          list.data.length === 0 ? (
            <EmptyState icon="models" title="No model can be used yet">
              Ask an operator of this server to install one.
            </EmptyState>
          ) : (
            <Section title="Ready to use">
              <RecordList label="Models">
                {list.data.map((model) => (
                  <UsableModel key={model.id} model={model} />
                ))}
              </RecordList>
            </Section>
          )
        }
      </ResourceView>
    </>
  );
}

function UsableModel({ model }: { model: Model }) {
  return (
    <RecordCard
      title={model.display_name}
      badges={model.required_plan && <Badge kind="info">Plan {model.required_plan}</Badge>}
      subtitle={<code>{model.id}</code>}
      facts={[
        { label: 'Can do', value: capabilityNames(model.capabilities) },
        { label: 'Price', value: <Prices capabilities={model.capabilities} /> },
      ]}
      actions={
        canTranscribe(model.capabilities) && (
          <Link to="/" query={{ model: model.id }} class="button plain small">
            Try it
          </Link>
        )
      }
    />
  );
}
