// How the service is doing, for operators: what runs, what the checks found, and which settings are in force.
import { PageHeader } from '../../components/page-header';
import { Tabs } from '../../components/tabs';
import { pushQuery, query } from '../../router';
import { Checks } from './checks';
import { OverviewPanel } from './overview-panel';
import { Settings } from './settings';

const tabs = [
  { id: 'overview', label: 'Overview' },
  { id: 'checks', label: 'Checks' },
  { id: 'settings', label: 'Settings' },
];

export function SystemPage() {
  const wanted = query.value.get('tab');
  const tab = tabs.find((entry) => entry.id === wanted)?.id ?? 'overview';
  return (
    <>
      <PageHeader title="System" intro="What the service is doing, and whether something needs attention." />
      <Tabs label="System" tabs={tabs} selected={tab} onSelect={(id) => pushQuery({ tab: id })}>
        {tab === 'overview' && <OverviewPanel />}
        {tab === 'checks' && <Checks />}
        {tab === 'settings' && <Settings />}
      </Tabs>
    </>
  );
}
