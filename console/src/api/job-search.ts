// The jobs list with its filters: of one project, or of all for operators.
import { requestJson } from './client';
import { consolePath } from './paths';
import type { ListedJob, Page } from './types';

export interface JobFilter {
  status?: string;
  operation?: string;
  created_after?: number;
  created_before?: number;
}

export interface JobSearch {
  project: string;
  // Only operators may list the jobs of all projects.
  allProjects: boolean;
  filter: JobFilter;
  after: string | null;
}

const PAGE_SIZE = 25;

export function listJobs(search: JobSearch, signal?: AbortSignal): Promise<Page<ListedJob>> {
  const { project, allProjects, filter, after } = search;
  const path = allProjects ? '/operator/v1/jobs' : consolePath(project, '/filtered_jobs');
  return requestJson<Page<ListedJob>>(path, { query: { ...filter, limit: PAGE_SIZE, after }, signal });
}
