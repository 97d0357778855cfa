// Names of speakers for display. They are stored with the job and change nothing in the transcript.
import { signal } from '@preact/signals';
import { asApiError } from '../../api/error';
import { readSpeakerNames, writeSpeakerNames } from '../../api/jobs';
import { showToast } from '../../components/toasts';

export class SpeakerNames {
  readonly names = signal<Record<string, string>>({});
  private isLoading = false;

  constructor(
    private readonly project: string,
    private readonly jobId: string,
  ) {}

  // Loads the names once.
  async load(signal: AbortSignal): Promise<void> {
    if (this.isLoading) return;
    this.isLoading = true;
    const loaded = await readSpeakerNames(this.project, this.jobId, signal).catch(() => null);
    if (loaded) this.names.value = loaded.names;
  }

  nameOf(speaker: string): string {
    return this.names.value[speaker] ?? `Speaker ${speaker}`;
  }

  async rename(speaker: string, name: string): Promise<void> {
    const before = this.names.value;
    const changed = { ...before };
    if (name.trim()) changed[speaker] = name.trim().slice(0, 100);
    else delete changed[speaker];
    if (changed[speaker] === before[speaker]) return;
    this.names.value = changed;
    try {
      await writeSpeakerNames(this.project, this.jobId, changed);
    } catch (error) {
      this.names.value = before;
      showToast(`The name was not saved. ${asApiError(error).message}`, 'bad');
    }
  }
}
