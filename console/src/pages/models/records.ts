// The operator's view of models, and the tasks that change what is installed.
import { requestJson } from '../../api/client';
import type { List, ModelCapability } from '../../api/types';

export type ModelState = 'built in' | 'chooses' | 'remote' | 'installed' | 'not installed';
export type TaskAction = 'pull' | 'verify' | 'remove';
export type TaskStatus = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';

export interface ModelSpeed {
  model: string;
  unit: string;
  units_per_second: number;
  units_per_cpu_second: number;
  threads: number;
  load_milliseconds: number | null;
  memory_bytes: number | null;
  cpu: string;
  kernels: string;
}

export interface ModelRecord {
  id: string;
  display_name: string;
  required_plan: string | null;
  capabilities: ModelCapability[];
  languages: string[];
  bytes: number;
  source: 'catalogue' | 'local';
  untested: boolean;
  state: ModelState;
  speed: ModelSpeed | null;
  license: string | null;
  // The models whose files it needs.
  uses: string[];
  loaded: boolean;
}

export interface ModelTask {
  object: 'model_task';
  id: string;
  model: string;
  action: TaskAction;
  node: string;
  status: TaskStatus;
  progress: { file: string | null; done_bytes: number; total_bytes: number };
  error: string | null;
  created_at: number;
  ended_at: number | null;
}

const modelPath = (modelId: string, rest = ''): string => `/operator/v1/models/${encodeURIComponent(modelId)}${rest}`;
const taskPath = (taskId: string, rest = ''): string => `/operator/v1/model_tasks/${encodeURIComponent(taskId)}${rest}`;

export const listModelRecords = (signal?: AbortSignal) =>
  requestJson<List<ModelRecord>>('/operator/v1/models', { signal });

export const listModelTasks = (signal?: AbortSignal) =>
  requestJson<List<ModelTask>>('/operator/v1/model_tasks', { signal });

// Without a node, the node that answers does the work.
export function startTask(action: TaskAction, modelId: string, node: string | null): Promise<ModelTask> {
  const body = node ? { node } : {};
  if (action === 'remove') return requestJson<ModelTask>(modelPath(modelId), { method: 'DELETE', body });
  return requestJson<ModelTask>(modelPath(modelId, `/${action}`), { method: 'POST', body });
}

export const readModelTask = (taskId: string, signal?: AbortSignal) =>
  requestJson<ModelTask>(taskPath(taskId), { signal });

export const cancelTask = (taskId: string) => requestJson<ModelTask>(taskPath(taskId, '/cancel'), { method: 'POST' });

export const taskEventsPath = (taskId: string): string => taskPath(taskId, '/events');

export const hasEnded = (task: ModelTask): boolean => task.status !== 'queued' && task.status !== 'running';
