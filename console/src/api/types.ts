// Resources of the API as the server sends them. The OpenAPI document describes every field.

export interface List<T> {
  object: 'list';
  data: T[];
}

export interface Page<T> extends List<T> {
  has_more: boolean;
  last_id: string | null;
}

export interface Session {
  object: 'session';
  id: string | null;
  role: 'operator' | 'project';
  project: string | null;
  key_name: string | null;
  scopes: ('read' | 'write')[];
  created_at: number | null;
  expires_at: number | null;
  server: { version: string; max_upload_bytes: number; max_sync_upload_bytes: number; api_url: string | null };
}

export type JobStatus = 'queued' | 'in_progress' | 'cancelling' | 'completed' | 'failed' | 'cancelled';
export type StepStatus = 'blocked' | 'queued' | 'in_progress' | 'completed' | 'failed' | 'cancelled' | 'skipped';

export interface Progress {
  percent: number;
  queue_position: number | null;
  completed_steps: number;
  total_steps: number;
  current_steps: string[];
  audio_seconds_processed: number | null;
  audio_seconds_total: number | null;
}

export interface Usage {
  audio_seconds: number;
  input_tokens: number;
  output_tokens: number;
  characters: number;
  cost_usd: string;
}

export interface JobError {
  message: string;
  type: string;
  param: string | null;
  code: string | null;
  step_id: string | null;
  step_key: string | null;
  attempts: number | null;
}

export interface Job {
  id: string;
  object: 'job';
  operation: 'transcription' | 'analysis';
  status: JobStatus;
  created_at: number;
  started_at: number | null;
  completed_at: number | null;
  progress: Progress | null;
  result: Result | null;
  error: JobError | null;
  usage: Usage | null;
  metadata: Record<string, string>;
  expires_at: number;
  result_deleted_at: number | null;
}

// A job as the list shows it.
export interface ListedJob extends Omit<Job, 'result'> {
  project: string;
}

export interface JobStep {
  id: string;
  object: 'job.step';
  job_id: string;
  key: string;
  operation: string;
  status: StepStatus;
  requested_model: string | null;
  resolved_model: string | null;
  created_at: number;
  started_at: number | null;
  completed_at: number | null;
  output: Record<string, unknown> | null;
  response: Record<string, unknown> | null;
  error: JobError | null;
  usage: Usage | null;
  cost_usd: string | null;
}

export interface Word {
  word: string;
  start: number;
  end: number;
  confidence: number | null;
}

export interface Segment {
  id?: number;
  text: string;
  start?: number;
  end?: number;
  words?: Word[];
}

export interface Utterance {
  text: string;
  speaker?: string | null;
  start?: number;
  end?: number;
  words?: Word[];
}

export interface Transcript {
  text: string;
  language?: string | null;
  duration_seconds?: string | null;
  segments?: Segment[];
  utterances?: Utterance[];
}

export interface Diarization {
  speakers: { id: string; seconds: number }[];
  turns: { speaker: string; start: number; end: number }[];
}

export interface Chapter {
  title: string;
  summary: string;
  start: number | null;
  end: number | null;
  start_char: number;
  end_char: number;
}

export interface Entity {
  text: string;
  type: string;
  start_char: number;
  end_char: number;
  confidence: number | null;
  start: number | null;
}

export interface Sentiment {
  granularity: 'document' | 'utterance';
  document: { label: string; score: number };
  utterances?: { index: number; label: string; score: number }[];
}

export interface TaskOutput {
  text: string;
  json: unknown;
}

export interface ResultArtifact {
  id: string;
  purpose: string;
  media_type: string;
}

export interface Result {
  transcript?: Transcript;
  diarization?: Diarization;
  chapters?: { chapters: Chapter[] };
  entities?: { entities: Entity[] };
  formatting?: { text: string; paragraphs: { text: string; start_char: number; end_char: number }[] };
  key_phrases?: { key_phrases: { text: string; score: number; count: number }[] };
  sentiment?: Sentiment;
  summary?: { type: string; text: string; bullets: string[] };
  topics?: { topics: { label: string; score: number }[] };
  tasks?: Record<string, TaskOutput>;
  artifacts?: ResultArtifact[];
  errors?: { step_id: string; step_key: string; code: string; message: string }[];
  overflow?: { artifact_id: string };
}

export interface JobEvent {
  id: string;
  object: 'job.event';
  sequence: number;
  type: string;
  job_id: string;
  created_at: number;
  data: unknown;
}

export interface JobArtifact {
  id: string;
  object: 'artifact';
  job_id: string;
  purpose: string;
  media_type: string;
  bytes: string;
  status: 'available' | 'deleted' | 'expired';
  created_at: number;
  expires_at: number;
}

export interface ModelCapability {
  capability: string;
  native_unit: string;
  price_per_unit_usd: string;
}

export interface Model {
  id: string;
  object: 'model';
  display_name: string;
  required_plan: string | null;
  capabilities: ModelCapability[];
  // Empty if the model is not limited to some.
  languages: string[];
  license: string | null;
  bytes: number;
  // The models whose files it needs.
  uses: string[];
  // Whether the plan of the project allows it.
  in_plan: boolean;
}

export interface Peaks {
  object: 'peaks';
  duration_seconds: string;
  points: [number, number][];
}

// How often a step was started.
export interface RecordingAnalyses {
  object: 'recording_analyses';
  analyses: List<RecordingAnalysis>;
  attempts: List<StepAttempts>;
  // The job that the recording belongs to, which further analyses name.
  recording_job_id: string | null;
}

// The steps of the analyses of a recording, without their outputs, and how often each step was started.
export interface AnalysisSteps {
  object: 'analysis_steps';
  steps: Page<JobStep>;
  attempts: List<StepAttempts>;
}

export interface StepAttempts {
  step_id: string;
  attempts: number;
}

export interface RecordingAnalysis {
  job_id: string | null;
  status: 'waiting' | 'submitted' | 'failed';
  error: string | null;
  // Only the latest analyses have it.
  job: Job | null;
}
