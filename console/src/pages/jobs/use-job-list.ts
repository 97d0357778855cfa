// One page of the jobs list, refreshed while it is visible so that the status stays live.
import { useEffect } from 'preact/hooks';
import { listJobs } from '../../api/job-search';
import { isTerminal } from '../../api/jobs';
import { currentCursor, readCursors } from '../../components/cursors';
import { showsAllProjects } from '../../layout/project-scope';
import { query } from '../../router';
import { isOperator, project } from '../../session';
import { useResource } from '../../use-resource';
import { jobFilter } from './filter';

// Seconds between refreshes: short while a job of the page runs, longer while only new jobs can appear.
const ACTIVE_SECONDS = 2;
const IDLE_SECONDS = 10;

export function useJobList() {
  const search = {
    project: project.value,
    allProjects: isOperator.value && showsAllProjects.value,
    filter: jobFilter.value,
    after: currentCursor(readCursors(query.value.get('after'))),
  };
  const list = useResource(JSON.stringify(search), (signal) => listJobs(search, signal));
  useEffect(() => {
    let age = 0;
    const timer = setInterval(() => {
      age += 1;
      const active = list.data.value?.data.some((job) => !isTerminal(job.status)) ?? false;
      if (document.hidden || list.loading.value || age < (active ? ACTIVE_SECONDS : IDLE_SECONDS)) return;
      age = 0;
      void list.reload();
    }, 1000);
    return () => clearInterval(timer);
  }, []);
  return list;
}
