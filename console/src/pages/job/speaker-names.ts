// Names of speakers for display. They are stored with the job and change nothing in the transcript.
import { signal } from '@preact/signals';
import { asApiError } from '../../api/error';
import { readSpeakerNames, writeSpeakerNames } from '../../api/jobs';
import { showToast } from '../../components/toasts';

export class SpeakerNames {
  readonly names = signal<Record<string, string>>({});
  private loading: Promise<void> | null = null;

  constructor(
    private readonly project: string,
    private readonly jobId: string,
  ) {}

  // Loads the names once. After a failure, the next call tries again.
  load(signal?: AbortSignal): Promise<void> {
    this.loading ??= this.read(signal).catch((error: unknown) => {
      this.loading = null;
      throw error;
    });
    return this.loading;
  }

  nameOf(speaker: string): string {
    return this.names.value[speaker] ?? `Speaker ${speaker}`;
  }

  async rename(speaker: string, name: string): Promise<void> {
    try {
      // All names are stored together, so the others have to be known.
      await this.load();
      await this.write(speaker, name.trim().slice(0, 100));
    } catch (error) {
      showToast(`The name was not saved. ${asApiError(error).message}`, 'bad');
    }
  }

  private async read(signal?: AbortSignal): Promise<void> {
    this.names.value = (await readSpeakerNames(this.project, this.jobId, signal)).names;
  }

  private async write(speaker: string, name: string): Promise<void> {
    const before = this.names.value;
    const changed = { ...before };
    if (name) changed[speaker] = name;
    else delete changed[speaker];
    if (changed[speaker] === before[speaker]) return;
    this.names.value = changed;
    try {
      await writeSpeakerNames(this.project, this.jobId, changed);
    } catch (error) {
      this.names.value = before;
      throw error;
    }
  }
}
