// The jobs list with filters. Operators have a path that filters; for others the pages are read and filtered here.
import { requestJson } from './client';
import { consolePath } from './paths';
import type { Job, Page } from './types';

export interface JobFilter {
  status?: string;
  operation?: string;
  created_after?: number;
  created_before?: number;
}

const PAGE_SIZE = 25;
// Jobs per request and requests per page while filtering here. They bound the work for a filter that matches little.
const SCAN_SIZE = 100;
const MAX_SCANS = 10;

export function listJobs(
  project: string,
  operator: boolean,
  filter: JobFilter,
  after: string | null,
  signal?: AbortSignal,
): Promise<Page<Job>> {
  if (operator) {
    const query = { ...filter, project, limit: PAGE_SIZE, after };
    return requestJson<Page<Job>>('/operator/v1/jobs', { query, signal });
  }
  if (Object.keys(filter).length > 0) return scanJobs(project, filter, after, signal);
  return readPage(project, PAGE_SIZE, after, signal);
}

const readPage = (project: string, limit: number, after: string | null, signal?: AbortSignal) =>
  requestJson<Page<Job>>(consolePath(project, '/jobs'), { query: { limit, after }, signal });

async function scanJobs(
  project: string,
  filter: JobFilter,
  after: string | null,
  signal?: AbortSignal,
): Promise<Page<Job>> {
  const found: Job[] = [];
  let cursor = after;
  for (let scan = 0; scan < MAX_SCANS; scan++) {
    const page = await readPage(project, SCAN_SIZE, cursor, signal);
    for (const job of page.data) {
      if (!matches(job, filter)) continue;
      if (found.length === PAGE_SIZE) return pageOf(found, true, found.at(-1)?.id ?? null);
      found.push(job);
    }
    cursor = page.last_id ?? cursor;
    if (!page.has_more) return pageOf(found, false, cursor);
  }
  return pageOf(found, true, cursor);
}

const pageOf = (data: Job[], hasMore: boolean, lastId: string | null): Page<Job> => ({
  object: 'list',
  data,
  has_more: hasMore,
  last_id: lastId,
});

function matches(job: Job, filter: JobFilter): boolean {
  if (filter.status !== undefined && job.status !== filter.status) return false;
  if (filter.operation !== undefined && job.operation !== filter.operation) return false;
  if (filter.created_after !== undefined && job.created_at < filter.created_after) return false;
  return filter.created_before === undefined || job.created_at < filter.created_before;
}
