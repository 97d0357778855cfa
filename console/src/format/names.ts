// Words for the reader instead of the names that programs use.
import { lazily } from './lazily';

const stepNames: Record<string, string> = {
  transcription: 'Transcription',
  diarization: 'Speakers',
  chapters: 'Chapters',
  entities: 'Entities',
  formatting: 'Paragraphs',
  key_phrases: 'Key phrases',
  sentiment: 'Sentiment',
  summary: 'Summary',
  topics: 'Topics',
  task: 'Task',
  analysis: 'Analysis',
};

export function stepName(key: string): string {
  return key.startsWith('tasks/') ? `Task “${key.slice('tasks/'.length)}”` : (stepNames[key] ?? key);
}

// The same within a sentence.
export function stepPhrase(key: string): string {
  return key.startsWith('tasks/') ? `task “${key.slice('tasks/'.length)}”` : `step “${stepName(key)}”`;
}

// The name of a part of a result document, or null if it is no result of a step.
export const resultName = (key: string): string | null => (key === 'tasks' ? 'Tasks' : (stepNames[key] ?? null));

const statusNames: Record<string, string> = {
  blocked: 'Waiting',
  queued: 'Queued',
  in_progress: 'Running',
  cancelling: 'Stopping',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
  skipped: 'Skipped',
};

export const statusName = (status: string): string => statusNames[status] ?? status;

const artifactNames: Record<string, string> = {
  'input.audio': 'Recording',
  'input.transcript': 'Input transcript',
  'transcript.json': 'Transcript as JSON',
  'transcript.txt': 'Transcript as text',
  'transcript.srt': 'Subtitles (SRT)',
  'transcript.vtt': 'Subtitles (WebVTT)',
  'analysis.json': 'Analysis as JSON',
};

export const artifactName = (purpose: string): string => artifactNames[purpose] ?? purpose;

const languages = lazily(() => new Intl.DisplayNames(undefined, { type: 'language' }));

// The name of a language in the reader's language, or its code.
export function languageName(code: string): string {
  try {
    return languages().of(code) ?? code;
  } catch {
    return code;
  }
}
