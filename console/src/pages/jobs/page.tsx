// The jobs of the project, or of all projects, with live status, filters and bulk cancel.
import { useSignal } from '@preact/signals';
import { isTerminal } from '../../api/jobs';
import type { ListedJob } from '../../api/types';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { Link } from '../../components/link';
import { PageHeader } from '../../components/page-header';
import { Pager } from '../../components/pager';
import { ResourceView } from '../../components/resource-view';
import { Table, type Column } from '../../components/table';
import { showToast } from '../../components/toasts';
import { plural } from '../../format/numbers';
import { showsAllProjects } from '../../layout/project-scope';
import { cancelJobs } from './cancel-jobs';
import { jobColumns } from './columns';
import { FilterBar } from './filter-bar';
import { NoJobs } from './no-jobs';
import { useJobList } from './use-job-list';

export function JobsPage() {
  const list = useJobList();
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const asking = useSignal(false);
  const jobs = list.data.value?.data ?? [];
  const chosen = jobs.filter((job) => selected.value.has(job.id) && !isTerminal(job.status));
  const cancel = async () => {
    const { cancelled, failed } = await cancelJobs(chosen);
    selected.value = new Set();
    await list.reload();
    if (failed > 0) showToast(`${plural(failed, 'job')} could not be cancelled. Try again.`, 'bad');
    else showToast(`${plural(cancelled, 'job')} cancelled.`);
  };
  return (
    <>
      <PageHeader title="Jobs" intro="Transcriptions and analyses, newest first.">
        {chosen.length > 0 && (
          <Button writes kind="danger" onClick={() => (asking.value = true)}>
            Cancel {plural(chosen.length, 'job')}
          </Button>
        )}
        <Link to="/" class="button primary">
          New transcription
        </Link>
      </PageHeader>
      <FilterBar />
      <ResourceView resource={list}>
        {(page) => (
          <>
            {page.data.length === 0 ? (
              <NoJobs />
            ) : (
              <Table
                caption="Jobs"
                kind="jobs-table"
                columns={jobColumns(selectionColumn(jobs, selected), showsAllProjects.value)}
                rows={jobs}
                rowKey={(job) => job.id}
              />
            )}
            <Pager hasMore={page.has_more} lastId={page.last_id} />
          </>
        )}
      </ResourceView>
      {asking.value && (
        <ConfirmDialog
          title={`Cancel ${plural(chosen.length, 'job')}?`}
          confirm={`Cancel ${plural(chosen.length, 'job')}`}
          back="Back"
          danger
          onConfirm={cancel}
          onClose={() => (asking.value = false)}
        >
          <p>Running steps stop within a few seconds. What they have finished stays readable and is charged.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

// Only jobs that still run have a checkbox, because only they can be cancelled. Without any, there is no column.
function selectionColumn(jobs: ListedJob[], selected: { value: ReadonlySet<string> }): Column<ListedJob> | null {
  const active = jobs.filter((job) => !isTerminal(job.status));
  if (active.length === 0) return null;
  const allChosen = active.every((job) => selected.value.has(job.id));
  const toggle = (ids: string[], on: boolean) => {
    const changed = new Set(selected.value);
    for (const id of ids)
      if (on) changed.add(id);
      else changed.delete(id);
    selected.value = changed;
  };
  return {
    id: 'select',
    title: (
      <input
        type="checkbox"
        aria-label="Select all running jobs"
        checked={allChosen}
        onChange={(event) =>
          toggle(
            active.map((job) => job.id),
            event.currentTarget.checked,
          )
        }
      />
    ),
    cell: (job) =>
      !isTerminal(job.status) && (
        <input
          type="checkbox"
          aria-label={`Select ${job.id}`}
          checked={selected.value.has(job.id)}
          onChange={(event) => toggle([job.id], event.currentTarget.checked)}
        />
      ),
  };
}
