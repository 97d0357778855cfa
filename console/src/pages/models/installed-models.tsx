// Every model of the catalogue, grouped by what it does, with what can be done about it.
import { useSignal } from '@preact/signals';
import { EmptyState } from '../../components/empty-state';
import { Notice } from '../../components/notice';
import { PageHeader } from '../../components/page-header';
import { RecordList } from '../../components/record-card';
import { ResourceView } from '../../components/resource-view';
import { SearchField } from '../../components/search-field';
import { Section } from '../../components/section';
import { Segmented } from '../../components/segmented';
import { SelectField } from '../../components/select-field';
import { showToast } from '../../components/toasts';
import { useRefresh } from '../../components/use-refresh';
import { languageName } from '../../format/names';
import { useResource } from '../../use-resource';
import { readOverview } from '../system/records';
import { roleText } from '../system/role-words';
import { groupOf, groupOrder, groupTitles } from './describe';
import { ModelCard } from './model-card';
import { onNode } from './on-node';
import { hasEnded, listModelRecords, type ModelRecord, type ModelTask } from './records';
import { TaskList } from './task-list';
import { endedText } from './task-words';
import { useModelTasks } from './use-model-tasks';

const states = [
  { value: 'all', label: 'All' },
  { value: 'ready', label: 'Ready to use' },
  { value: 'missing', label: 'Not installed' },
];

// How often the state of the other nodes is read; each reports it every five seconds.
const REFRESH_MS = 5000;

export function InstalledModels() {
  const models = useResource('', listModelRecords);
  const overview = useResource('', readOverview);
  const search = useSignal('');
  const state = useSignal('all');
  const node = useSignal<string | null>(null);
  const { tasks, add } = useModelTasks((task) => {
    showToast(endedText(task), task.status === 'failed' ? 'bad' : 'good');
    void models.reload();
    void overview.reload();
  });
  const nodes = (overview.data.value?.nodes ?? []).filter((entry) => entry.alive);
  // Behind a balancer, each request may be answered by another node, so a cluster is shown by what its nodes report.
  const isCluster = nodes.length > 1;
  const chosen = isCluster ? (nodes.find((entry) => entry.id === node.value) ?? nodes[0]) : undefined;
  useRefresh(overview.reload, REFRESH_MS, isCluster);
  return (
    <>
      <PageHeader title="Models" intro="What is installed on this server, and what can be.">
        {chosen && (
          <SelectField
            label="Work on node"
            value={chosen.id}
            options={nodes.map((entry) => ({ value: entry.id, label: `${entry.host} (${roleText(entry.role)})` }))}
            onChange={(value) => (node.value = value)}
          />
        )}
      </PageHeader>
      <div class="stack">
        {chosen && (
          <Notice>
            The list shows what {chosen.host} reported a few seconds ago. What you start now runs there.
          </Notice>
        )}
        <div class="toolbar">
          <SearchField
            label="Search by name or language"
            value={search.value}
            onInput={(text) => (search.value = text)}
          />
          <Segmented
            label="Which models"
            options={states}
            value={state.value}
            onChange={(value) => (state.value = value)}
          />
        </div>
        <ResourceView resource={models}>
          {(list) => (
            <Groups
              models={list.data
                .map((model) => (chosen ? onNode(model, chosen) : model))
                .filter((model) => matches(model, search.value, state.value))}
              tasks={tasks.value}
              node={chosen?.id ?? null}
              nameOf={(id) => list.data.find((model) => model.id === id)?.display_name ?? id}
              onTask={add}
            />
          )}
        </ResourceView>
        <TaskList tasks={tasks.value} nodes={nodes} />
      </div>
    </>
  );
}

interface GroupsProps {
  models: ModelRecord[];
  tasks: ModelTask[];
  node: string | null;
  nameOf: (modelId: string) => string;
  onTask: (task: ModelTask) => void;
}

function Groups({ models, tasks, node, nameOf, onTask }: GroupsProps) {
  if (models.length === 0) {
    return (
      <EmptyState icon="models" title="No model matches">
        Search for another name or language, or show all models.
      </EmptyState>
    );
  }
  return (
    <>
      {groupOrder.map((group) => {
        const members = models.filter((model) => groupOf(model) === group);
        if (members.length === 0) return null;
        return (
          <Section key={group} {...groupTitles[group]}>
            <RecordList kind="models" label={groupTitles[group].title}>
              {members.map((model) => (
                <ModelCard
                  key={model.id}
                  model={model}
                  task={openTask(model, tasks, node)}
                  node={node}
                  nameOf={nameOf}
                  onTask={onTask}
                />
              ))}
            </RecordList>
          </Section>
        );
      })}
    </>
  );
}

// What a model's card shows is the task on the chosen node. Tasks on other nodes are in the list of recent tasks.
const openTask = (model: ModelRecord, tasks: ModelTask[], node: string | null): ModelTask | null =>
  tasks.find((task) => task.model === model.id && !hasEnded(task) && (node === null || task.node === node)) ?? null;

function matches(model: ModelRecord, search: string, state: string): boolean {
  const isMissing = model.state === 'not installed';
  if (state === 'ready' && isMissing) return false;
  if (state === 'missing' && !isMissing) return false;
  const text = [model.id, model.display_name, ...model.languages, ...model.languages.map(languageName)].join(' ');
  return text.toLowerCase().includes(search.trim().toLowerCase());
}
