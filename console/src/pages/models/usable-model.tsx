// One model that is installed: what it is for, its languages, price and size, and whether the plan allows it.
import type { Model } from '../../api/types';
import { Badge } from '../../components/badge';
import { RecordCard } from '../../components/record-card';
import { formatBytes } from '../../format/numbers';
import { capabilityNames } from './describe';
import { Languages } from './languages';
import { License } from './license';
import { Prices } from './prices';
import { TryLink } from './try-link';

export function UsableModel({ model }: { model: Model }) {
  return (
    <RecordCard
      title={model.display_name}
      badges={model.required_plan && <Badge kind="info">Plan {model.required_plan}</Badge>}
      subtitle={<code>{model.id}</code>}
      facts={[
        { label: 'Used for', value: capabilityNames(model.capabilities) },
        { label: 'Size', value: model.bytes > 0 ? formatBytes(model.bytes) : '–' },
        { label: 'Languages', value: <Languages codes={model.languages} /> },
        { label: 'Price', value: <Prices capabilities={model.capabilities} /> },
        { label: 'License', value: <License name={model.license} /> },
      ]}
      actions={model.in_plan && <TryLink model={model} />}
    >
      {!model.in_plan && <p class="hint">Needs plan {model.required_plan}. Ask an operator.</p>}
    </RecordCard>
  );
}
