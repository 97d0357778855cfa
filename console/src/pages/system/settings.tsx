// The settings in force, with a search field.
import { useSignal } from '@preact/signals';
import { Badge } from '../../components/badge';
import { EmptyState } from '../../components/empty-state';
import { ResourceView } from '../../components/resource-view';
import { SearchField } from '../../components/search-field';
import { Section } from '../../components/section';
import { Segmented } from '../../components/segmented';
import { useResource } from '../../use-resource';
import { listSettings, type Setting } from './records';

const choices = [
  { value: 'all', label: 'All' },
  { value: 'changed', label: 'Changed' },
];

const sources: Record<Setting['source'], string> = {
  default: 'Default',
  file: 'Configuration file',
  environment: 'Environment',
  flag: 'Command line',
};

export function Settings() {
  const settings = useResource('', listSettings);
  const search = useSignal('');
  const which = useSignal('all');
  return (
    <Section
      title="Settings in force"
      intro="They apply to this node. To change one, edit the configuration and restart."
    >
      <div class="toolbar">
        <SearchField label="Search by name or value" value={search.value} onInput={(text) => (search.value = text)} />
        <Segmented
          label="Which settings"
          options={choices}
          value={which.value}
          onChange={(value) => (which.value = value)}
        />
      </div>
      <ResourceView resource={settings}>
        {(list) => <SettingList rows={list.data.filter((entry) => matches(entry, search.value, which.value))} />}
      </ResourceView>
    </Section>
  );
}

function SettingList({ rows }: { rows: Setting[] }) {
  if (rows.length === 0) {
    return (
      <EmptyState icon="search" title="No setting matches">
        Search for another word, or show all settings.
      </EmptyState>
    );
  }
  return (
    <ul class="records settings" aria-label="Settings">
      {rows.map((setting) => (
        <li key={setting.name}>
          <code class="soft">{setting.name}</code>
          {setting.value === '' ? <span class="soft">Empty</span> : <code>{setting.value}</code>}
          <span>
            <SourceBadge setting={setting} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function SourceBadge({ setting }: { setting: Setting }) {
  const name = sources[setting.source];
  return isChanged(setting) ? <Badge kind="info">{name}</Badge> : <span class="soft">{name}</span>;
}

const isChanged = (setting: Setting): boolean => setting.source !== 'default';

function matches(setting: Setting, search: string, which: string): boolean {
  if (which === 'changed' && !isChanged(setting)) return false;
  return `${setting.name} ${setting.value}`.toLowerCase().includes(search.trim().toLowerCase());
}
