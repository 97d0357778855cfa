// Projects, their API keys, and operator keys.
import { request, requestJson } from '../../api/client';
import { operatorProjectPath } from '../../api/paths';
import type { List } from '../../api/types';

export type Scope = 'read' | 'write';
export type KeyState = 'active' | 'expired' | 'revoked';

export interface Project {
  id: string;
  name: string;
  plan: string;
  balance_usd: string | null;
  held_usd: string | null;
  requests_per_minute: number | null;
  concurrent_transcriptions: number | null;
  created_at: number;
}

export interface ProjectList extends List<Project> {
  plans: string[];
}

export interface NewProject {
  name: string;
  plan?: string;
  credit_usd?: string;
  requests_per_minute?: number | null;
  concurrent_transcriptions?: number | null;
}

export type ProjectChange = Omit<NewProject, 'name' | 'credit_usd'>;

export interface OperatorKey {
  id: string;
  name: string;
  hint: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
  state: KeyState;
}

export interface Key extends OperatorKey {
  project_id: string;
  scopes: Scope[];
}

export interface NewOperatorKey {
  name: string;
  lifetime_seconds?: number;
}

export interface NewKey extends NewOperatorKey {
  scopes: Scope[];
}

// The key itself comes only with the answer that created it.
export type Created<T> = T & { key: string };

export interface OperatorSession {
  id: string;
  // Null for a session that a link started.
  key_id: string | null;
  key_name: string | null;
  created_at: number;
  expires_at: number;
}

const keyPath = (project: string, keyId: string, rest = ''): string =>
  operatorProjectPath(project, `/keys/${encodeURIComponent(keyId)}${rest}`);

export const listProjects = (signal?: AbortSignal) => requestJson<ProjectList>('/operator/v1/projects', { signal });

export const createProject = (body: NewProject) =>
  requestJson<Project>('/operator/v1/projects', { method: 'POST', body });

export const changeProject = (project: string, body: ProjectChange) =>
  requestJson<Project>(operatorProjectPath(project), { method: 'PATCH', body });

export const changeCredit = (project: string, body: { add_usd: string } | { remove: true }) =>
  requestJson<Project>(operatorProjectPath(project, '/credit'), { method: 'POST', body });

export const listKeys = (project: string, signal?: AbortSignal) =>
  requestJson<List<Key>>(operatorProjectPath(project, '/keys'), { signal });

export const createKey = (project: string, body: NewKey) =>
  requestJson<Created<Key>>(operatorProjectPath(project, '/keys'), { method: 'POST', body });

export const rotateKey = (project: string, keyId: string, graceSeconds: number) =>
  requestJson<Created<Key>>(keyPath(project, keyId, '/rotate'), {
    method: 'POST',
    body: { grace_seconds: graceSeconds },
  });

export const revokeKey = (project: string, keyId: string) => request(keyPath(project, keyId), { method: 'DELETE' });

export const listOperatorKeys = (signal?: AbortSignal) =>
  requestJson<List<OperatorKey>>('/operator/v1/keys', { signal });

export const createOperatorKey = (body: NewOperatorKey) =>
  requestJson<Created<OperatorKey>>('/operator/v1/keys', { method: 'POST', body });

export const revokeOperatorKey = (keyId: string) =>
  request(`/operator/v1/keys/${encodeURIComponent(keyId)}`, { method: 'DELETE' });

export const listOperatorSessions = (signal?: AbortSignal) =>
  requestJson<List<OperatorSession>>('/operator/v1/sessions', { signal });

export const endOperatorSession = (sessionId: string) =>
  request(`/operator/v1/sessions/${encodeURIComponent(sessionId)}`, { method: 'DELETE' });
