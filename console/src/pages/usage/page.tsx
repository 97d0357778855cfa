// What was used and what it cost, by day and model.
import { useSignal } from '@preact/signals';
import { Button } from '../../components/button';
import { Icon } from '../../components/icon';
import { PageHeader } from '../../components/page-header';
import { ResourceView } from '../../components/resource-view';
import { showsAllProjects } from '../../layout/project-scope';
import { isOperator, project } from '../../session';
import { useResource } from '../../use-resource';
import { AccountFacts } from './account-facts';
import { toCsv } from './csv';
import { lastDays } from './period';
import { PeriodFields } from './period-fields';
import { ProjectTable } from './project-table';
import { readAccount, readAllUsage, usageFilePath, type Account, type Period, type UsageReport } from './records';
import { saveFile } from './save-file';
import { UsageView } from './usage-view';

interface Loaded {
  account: Account | null;
  report: UsageReport;
  period: Period;
}

export function UsagePage() {
  const period = useSignal<Period>(lastDays(30));
  const all = showsAllProjects.value;
  const { first_day, last_day } = period.value;
  const usage = useResource<Loaded>(`${all} ${project.value} ${first_day} ${last_day}`, async (signal) => {
    const asked = period.value;
    if (all) return { account: null, report: await readAllUsage(asked, signal), period: asked };
    const account = await readAccount(project.value, asked, signal);
    return { account, report: account.usage, period: asked };
  });
  return (
    <>
      <PageHeader
        title="Usage"
        intro={all ? 'What all projects used, and what it cost.' : 'What this project used, and what it cost.'}
      >
        <Download all={all} loaded={usage.data.value} />
      </PageHeader>
      <div class="stack">
        <PeriodFields period={period.value} onChange={(value) => (period.value = value)} />
        <ResourceView resource={usage}>
          {(loaded) => (
            <>
              <AccountFacts account={loaded.account} total={loaded.report.total} />
              <UsageView report={loaded.report} period={loaded.period}>
                {all && <ProjectTable period={loaded.period} />}
              </UsageView>
            </>
          )}
        </ResourceView>
      </div>
    </>
  );
}

// Operators download the server's file. The file of a project user is made from the report on the page.
function Download({ all, loaded }: { all: boolean; loaded: Loaded | null }) {
  if (!loaded || loaded.report.groups.length === 0) return null;
  const { report, period } = loaded;
  const name = `usage-${period.first_day}-${period.last_day}.csv`;
  if (isOperator.value) {
    return (
      <a class="button plain" href={usageFilePath(all ? null : project.value, period)} download={name}>
        <Icon name="download" />
        <span>Download CSV</span>
      </a>
    );
  }
  return (
    <Button icon="download" onClick={() => saveFile(name, 'text/csv', toCsv(report.groups))}>
      Download CSV
    </Button>
  );
}
