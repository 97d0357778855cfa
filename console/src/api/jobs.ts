// Jobs of a project: reading, listing, cancelling, deleting content, and what belongs to a recording.
import { request, requestJson } from './client';
import { readJsonWithBeginning } from './json-beginning';
import { consolePath } from './paths';
import type { AnalysisSteps, Job, JobArtifact, JobStep, List, Page, Peaks, RecordingAnalyses, Result } from './types';

// The segments that are shown while the rest arrives: about 900 words with their times, which fill several windows.
const BEGINNING = { list: '"segments":[', characters: 64 * 1024 };

export const jobPath = (project: string, jobId: string, rest = ''): string =>
  consolePath(project, `/jobs/${encodeURIComponent(jobId)}${rest}`);

export const readJob = (project: string, jobId: string, signal?: AbortSignal) =>
  requestJson<Job>(jobPath(project, jobId), { signal });

export const listSteps = (project: string, jobId: string, signal?: AbortSignal) =>
  requestJson<Page<JobStep>>(jobPath(project, jobId, '/steps'), { signal });

export const cancelJob = (project: string, jobId: string) =>
  requestJson<Job>(jobPath(project, jobId, '/cancel'), { method: 'POST' });

export const deleteContent = (project: string, jobId: string) =>
  request(jobPath(project, jobId, '/content'), { method: 'DELETE' });

export const eventsPath = (project: string, jobId: string): string => jobPath(project, jobId, '/events');

export const recordingPath = (project: string, jobId: string): string => jobPath(project, jobId, '/recording');

export const readPeaks = (project: string, jobId: string, signal?: AbortSignal) =>
  requestJson<Peaks>(jobPath(project, jobId, '/peaks'), { signal });

export const readSpeakerNames = (project: string, jobId: string, signal?: AbortSignal) =>
  requestJson<{ names: Record<string, string> }>(jobPath(project, jobId, '/speakers'), { signal });

export const writeSpeakerNames = (project: string, jobId: string, names: Record<string, string>) =>
  requestJson<{ names: Record<string, string> }>(jobPath(project, jobId, '/speakers'), {
    method: 'PUT',
    body: { names },
  });

export const readAnalyses = (project: string, jobId: string, signal?: AbortSignal) =>
  requestJson<RecordingAnalyses>(jobPath(project, jobId, '/analyses'), { signal });

export const readAnalysisSteps = (project: string, jobId: string, signal?: AbortSignal) =>
  requestJson<AnalysisSteps>(jobPath(project, jobId, '/analysis_steps'), { signal });

export const createAnalysis = (project: string, body: unknown) =>
  requestJson<Job>(consolePath(project, '/audio/analyses'), {
    method: 'POST',
    body,
    headers: { 'Idempotency-Key': newIdempotencyKey() },
  });

// The files of a job and of the latest analyses of its recording.
export const listArtifacts = (project: string, jobId: string, signal?: AbortSignal) =>
  requestJson<List<JobArtifact>>(jobPath(project, jobId, '/artifacts'), { signal });

export const artifactContentPath = (project: string, artifactId: string): string =>
  consolePath(project, `/artifacts/${encodeURIComponent(artifactId)}/content`);

// The whole result of a job. One that is too large to be inline is stored as an artifact; `onBeginning` may receive the
// first segments of its transcript before all of it has arrived.
export async function readResult(
  project: string,
  job: Job,
  onBeginning: (result: Result) => Promise<void>,
  signal?: AbortSignal,
): Promise<Result | null> {
  const overflow = job.result?.overflow?.artifact_id;
  if (!overflow) return job.result;
  const response = await request(artifactContentPath(project, overflow), { signal });
  return readJsonWithBeginning(response, BEGINNING, onBeginning);
}

// `crypto.randomUUID` exists only in secure contexts, and the console also runs over plain http.
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export const isTerminal = (status: string): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';
