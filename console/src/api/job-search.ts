// The jobs list with filters. Operators have a path that filters; for others the pages are read and filtered here.
import { requestJson } from './client';
import { consolePath } from './paths';
import type { Job, ListedJob, Page } from './types';

export interface JobFilter {
  status?: string;
  operation?: string;
  created_after?: number;
  created_before?: number;
}

export interface JobSearch {
  project: string;
  // All projects and filters on the server are for operators only.
  isOperator: boolean;
  allProjects: boolean;
  filter: JobFilter;
  after: string | null;
}

const PAGE_SIZE = 25;
// Jobs per request and requests per page while filtering here. They bound the work for a filter that matches little.
const SCAN_SIZE = 100;
const MAX_SCANS = 10;
// How many jobs were compared with the filter if a page is not full and there are more.
export const JOBS_PER_SCAN = SCAN_SIZE * MAX_SCANS;

export function listJobs(search: JobSearch, signal?: AbortSignal): Promise<Page<ListedJob>> {
  const { project, isOperator, allProjects, filter, after } = search;
  if (isOperator) {
    const query = { ...filter, project: allProjects ? null : project, limit: PAGE_SIZE, after };
    return requestJson<Page<ListedJob>>('/operator/v1/jobs', { query, signal });
  }
  if (Object.keys(filter).length > 0) return scanJobs(search, signal);
  return readPage(project, PAGE_SIZE, after, signal);
}

async function readPage(
  project: string,
  limit: number,
  after: string | null,
  signal?: AbortSignal,
): Promise<Page<ListedJob>> {
  const page = await requestJson<Page<Job>>(consolePath(project, '/jobs'), { query: { limit, after }, signal });
  return { ...page, data: page.data.map((job) => ({ ...job, project })) };
}

async function scanJobs({ project, filter, after }: JobSearch, signal?: AbortSignal): Promise<Page<ListedJob>> {
  const found: ListedJob[] = [];
  let cursor = after;
  for (let scan = 0; scan < MAX_SCANS; scan++) {
    const page = await readPage(project, SCAN_SIZE, cursor, signal);
    for (const job of page.data) {
      if (!matches(job, filter)) continue;
      if (found.length === PAGE_SIZE) return pageOf(found, true, found.at(-1)?.id ?? null);
      found.push(job);
    }
    cursor = page.last_id ?? cursor;
    if (!page.has_more || isTooOld(page.data.at(-1), filter)) return pageOf(found, false, cursor);
  }
  return pageOf(found, true, cursor);
}

const pageOf = (data: ListedJob[], hasMore: boolean, lastId: string | null): Page<ListedJob> => ({
  object: 'list',
  data,
  has_more: hasMore,
  last_id: lastId,
});

// Jobs are listed newest first, so all that follow are too old as well.
const isTooOld = (job: ListedJob | undefined, filter: JobFilter): boolean =>
  job !== undefined && filter.created_after !== undefined && job.created_at < filter.created_after;

function matches(job: ListedJob, filter: JobFilter): boolean {
  if (filter.status !== undefined && job.status !== filter.status) return false;
  if (filter.operation !== undefined && job.operation !== filter.operation) return false;
  if (filter.created_after !== undefined && job.created_at < filter.created_after) return false;
  return filter.created_before === undefined || job.created_at < filter.created_before;
}
