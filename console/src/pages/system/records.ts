// The state of the service as the operator's API reports it.
import { requestJson } from '../../api/client';

export interface Node {
  id: string;
  role: 'all' | 'api' | 'worker';
  version: string;
  host: string;
  started_at: number;
  seen_at: number;
  alive: boolean;
  loaded_models: string[];
  installed_models: string[];
}

export interface QueueLine {
  project: string;
  queued_steps: number;
  running_steps: number;
  oldest_queued_at: number | null;
}

export interface RunningStep {
  project: string;
  job_id: string;
  step_id: string;
  step: string;
  model: string | null;
  node: string | null;
  started_at: number | null;
}

export interface LoggedError {
  at: number;
  message: string;
  target: string;
}

export interface Overview {
  object: 'overview';
  version: string;
  role: 'all' | 'api' | 'worker';
  node: string;
  started_at: number;
  uptime_seconds: number;
  jobs: { queued: number; in_progress: number; cancelling: number };
  queue: QueueLine[];
  running: RunningStep[];
  loaded_models: { id: string; memory_bytes: number | null }[];
  disk: { path_free_bytes: number | null; path_total_bytes: number | null };
  database: { kind: 'sqlite' | 'postgres'; bytes: number | null; ok: boolean };
  blobs: { kind: 'folder' | 'bucket' };
  nodes: Node[];
  last_errors: LoggedError[];
}

export interface Finding {
  check: string;
  state: 'ok' | 'warning' | 'problem';
  found: string;
  advice: string;
}

export interface Report {
  object: 'report';
  ok: boolean;
  findings: Finding[];
}

export interface Setting {
  name: string;
  value: string;
  source: 'default' | 'file' | 'environment' | 'flag';
}

export const readOverview = (signal?: AbortSignal) => requestJson<Overview>('/operator/v1/overview', { signal });
export const examine = (signal?: AbortSignal) => requestJson<Report>('/operator/v1/doctor', { signal });
export const listSettings = (signal?: AbortSignal) =>
  requestJson<{ data: Setting[] }>('/operator/v1/settings', { signal });
