// The state of the service, refreshed every few seconds while the page is visible.
import { useRef } from 'preact/hooks';
import { ResourceView } from '../../components/resource-view';
import { useRefresh } from '../../components/use-refresh';
import { formatClock } from '../../format/time';
import { useResource } from '../../use-resource';
import { LastErrors } from './last-errors';
import { LoadedModels } from './loaded-models';
import { Nodes } from './nodes';
import { Queue } from './queue';
import { readOverview, type Overview } from './records';
import { RunningSteps } from './running-steps';
import { readSameNode } from './same-node';
import { Storage } from './storage';
import { SystemFacts } from './system-facts';

const REFRESH_MS = 3000;

interface Reading {
  overview: Overview;
  at: number;
}

export function OverviewPanel() {
  const shown = useRef<string | null>(null);
  const reading = useResource<Reading>('', async (signal) => {
    const overview = await readSameNode(() => readOverview(signal), shown.current);
    shown.current = overview.node;
    return { overview, at: Date.now() / 1000 };
  });
  useRefresh(reading.reload, REFRESH_MS);
  return (
    <ResourceView resource={reading}>
      {({ overview, at }) => (
        <div class="stack">
          <p class="soft small live-line">
            <span class="live-dot" aria-hidden="true" /> Refreshes by itself. Last read at {formatClock(at)} from the node{' '}
            {hostOf(overview)}.
          </p>
          <SystemFacts overview={overview} />
          <RunningSteps steps={overview.running} nodes={overview.nodes} now={at} />
          <Queue lines={overview.queue} />
          <div class="columns">
            <LoadedModels models={overview.loaded_models} />
            <Storage overview={overview} />
          </div>
          <Nodes nodes={overview.nodes} answering={overview.node} />
          <LastErrors errors={overview.last_errors} />
        </div>
      )}
    </ResourceView>
  );
}

const hostOf = ({ node, nodes }: Overview): string => nodes.find((entry) => entry.id === node)?.host ?? node;
