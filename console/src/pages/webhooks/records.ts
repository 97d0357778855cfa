// Webhook endpoints and deliveries of a project.
import { request, requestJson } from '../../api/client';
import { newIdempotencyKey } from '../../api/jobs';
import { consolePath } from '../../api/paths';
import type { List, Page } from '../../api/types';

// Deliveries per page.
const PAGE_SIZE = 25;

export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

export interface EndpointRecord {
  id: string;
  url: string;
  status: 'enabled' | 'disabled';
  created_at: number;
  failing_since: number | null;
  disabled_because: string | null;
  previous_secret_until: number | null;
}

export interface Attempt {
  number: number;
  started_at: number;
  milliseconds: number;
  status: number | null;
  error: string | null;
  answer: string | null;
}

export interface Delivery {
  id: string;
  event_id: string;
  job_id: string;
  endpoint_id: string | null;
  url: string;
  status: DeliveryStatus;
  attempts: number;
  next_attempt_at: number | null;
  created_at: number;
  body: string;
  last_attempts: Attempt[];
}

export interface TestResult {
  url: string;
  webhook_id: string;
  body: string;
  status: number | null;
  milliseconds: number;
  error: string | null;
  answer: string | null;
  success: boolean;
}

export interface DeliveryFilter {
  status: string;
  endpoint_id: string;
  job_id: string;
}

const endpointPath = (project: string, endpointId: string, rest: string): string =>
  consolePath(project, `/webhooks/${encodeURIComponent(endpointId)}${rest}`);

const deliveryPath = (project: string, deliveryId: string, rest = ''): string =>
  consolePath(project, `/deliveries/${encodeURIComponent(deliveryId)}${rest}`);

export const listEndpoints = (project: string, signal?: AbortSignal) =>
  requestJson<List<EndpointRecord>>(consolePath(project, '/webhooks'), { signal });

export const createEndpoint = (project: string, url: string) =>
  requestJson<{ id: string; secret: string }>(consolePath(project, '/webhook_endpoints'), {
    method: 'POST',
    body: { url },
    headers: { 'Idempotency-Key': newIdempotencyKey() },
  });

export const deleteEndpoint = (project: string, endpointId: string) =>
  request(consolePath(project, `/webhook_endpoints/${encodeURIComponent(endpointId)}`), { method: 'DELETE' });

export const enableEndpoint = (project: string, endpointId: string) =>
  requestJson<EndpointRecord>(endpointPath(project, endpointId, '/enable'), { method: 'POST' });

export const testEndpoint = (project: string, endpointId: string) =>
  requestJson<TestResult>(endpointPath(project, endpointId, '/test'), { method: 'POST' });

export const rotateSecret = (project: string, endpointId: string, graceSeconds: number) =>
  requestJson<{ secret: string }>(endpointPath(project, endpointId, '/rotate'), {
    method: 'POST',
    body: { grace_seconds: graceSeconds },
  });

export const listDeliveries = (
  project: string,
  filter: DeliveryFilter,
  after: string | null,
  signal?: AbortSignal,
) =>
  requestJson<Page<Delivery>>(consolePath(project, '/deliveries'), {
    query: { ...filter, limit: PAGE_SIZE, after },
    signal,
  });

export const readDelivery = (project: string, deliveryId: string, signal?: AbortSignal) =>
  requestJson<Delivery>(deliveryPath(project, deliveryId), { signal });

export const resendDelivery = (project: string, deliveryId: string) =>
  requestJson<Delivery>(deliveryPath(project, deliveryId, '/resend'), { method: 'POST' });

export const resendFailed = (project: string) =>
  requestJson<{ resent: number }>(consolePath(project, '/deliveries/resend_failed'), { method: 'POST' });
