// The name of the recording, which the console keeps in the metadata of its jobs.
import type { Job } from './types';

// Metadata values have at most this many characters.
const MAX_CHARACTERS = 512;

export const fileMetadata = (name: string): Record<string, string> =>
  name ? { file: [...name].slice(0, MAX_CHARACTERS).join('') } : {};

export const fileName = (job: Pick<Job, 'metadata'> | null): string => job?.metadata.file ?? '';
