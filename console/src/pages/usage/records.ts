// Usage reports: for operators of all projects or one, for project users of their own.
import { queryText, requestJson } from '../../api/client';
import { consolePath } from '../../api/paths';
import type { Usage } from '../../api/types';

export interface UsageTotal {
  requests: number;
  usage: Usage;
}

export interface UsageGroup extends UsageTotal {
  day?: string;
  model?: string;
  project?: string;
}

export interface UsageReport {
  object: 'usage';
  groups: UsageGroup[];
  total: UsageTotal;
}

export interface Account {
  object: 'account';
  project: string;
  plan: string;
  balance_usd: string | null;
  held_usd: string | null;
  usage: UsageReport;
}

export interface Period {
  first_day: string;
  last_day: string;
}

export const readAllUsage = (period: Period, signal?: AbortSignal) =>
  requestJson<UsageReport>('/operator/v1/usage', { query: { ...period, by: 'day,model' }, signal });

export const readUsageByProject = (period: Period, signal?: AbortSignal) =>
  requestJson<UsageReport>('/operator/v1/usage', { query: { ...period, by: 'project' }, signal });

export const readAccount = (project: string, period: Period, signal?: AbortSignal) =>
  requestJson<Account>(consolePath(project, '/account'), { query: { ...period, by: 'day,model' }, signal });

export const usageFilePath = (project: string | null, period: Period): string =>
  `/operator/v1/usage.csv${queryText({ project, ...period, by: 'day,model' })}`;
