// Everything that belongs to one open job page, made and closed together.
import { batch, computed, effect, signal } from '@preact/signals';
import { ApiError, asApiError } from '../../api/error';
import { isTerminal, readPeaks, recordingPath } from '../../api/jobs';
import type { Peaks } from '../../api/types';
import { nextPaint } from '../../next-paint';
import { JobStore } from './job-store';
import { Player } from './player';
import { SpeakerNames } from './speaker-names';
import { TranscriptState } from './transcript-state';
import type { WaveformPicture } from './waveform-drawing';

export class JobView {
  readonly store: JobStore;
  readonly state: TranscriptState;
  readonly names: SpeakerNames;
  readonly player = signal<Player | null>(null);
  readonly peaks = signal<Peaks | null>(null);
  readonly picture = computed(() => this.makePicture());
  private readonly controller = new AbortController();
  // The recording is looked for when the page opens, and once more when the job has ended.
  private tried: 'no' | 'early' | 'finally' = 'no';
  private readonly stopWaiting: () => void;

  constructor(
    readonly project: string,
    readonly jobId: string,
  ) {
    this.store = new JobStore(project, jobId);
    this.state = new TranscriptState(this.store.transcript, this.store.document);
    this.names = new SpeakerNames(project, jobId);
    void this.store.open();
    // The audio is stored with the job from the beginning, so it can be played while the job runs.
    this.stopWaiting = effect(() => {
      const job = this.store.job.value;
      if (job && job.result_deleted_at === null) void this.openRecording(isTerminal(job.status));
    });
  }

  close(): void {
    this.stopWaiting();
    this.controller.abort();
    this.store.close();
    this.player.value?.close();
  }

  loadSpeakerNames(): void {
    // Without them, the speakers have their letters, and the next rename tries again.
    this.names.load(this.controller.signal).catch(() => undefined);
  }

  closeRecording(): void {
    this.player.value?.close();
    this.player.value = null;
  }

  private async openRecording(isFinal: boolean): Promise<void> {
    if (this.player.peek() || this.tried === 'finally' || (this.tried === 'early' && !isFinal)) return;
    this.tried = isFinal ? 'finally' : 'early';
    // The text comes first.
    await nextPaint();
    if (this.controller.signal.aborted) return;
    const peaks = await readPeaks(this.project, this.jobId, this.controller.signal).catch(asApiError);
    if (this.controller.signal.aborted) return;
    if (peaks instanceof ApiError) {
      if (!peaks.notFound) this.player.value = new Player(recordingPath(this.project, this.jobId), 0);
      return;
    }
    // An analysis of a text that was sent to it has no recording, and an empty waveform.
    const duration = Number(peaks.duration_seconds);
    if (duration === 0) return;
    batch(() => {
      this.peaks.value = peaks;
      this.player.value = new Player(recordingPath(this.project, this.jobId), duration);
    });
  }

  private makePicture(): WaveformPicture {
    const document = this.store.document.value;
    const speakers = this.state.model.value?.speakers ?? [];
    const duration = this.player.value?.duration.value ?? 0;
    const turns = document.diarization?.turns ?? [];
    return {
      peaks: this.peaks.value?.points ?? [],
      duration,
      turns: turns.map(({ speaker, start, end }) => ({ start, end, tone: Math.max(0, speakers.indexOf(speaker)) })),
      chapters: (document.chapters?.chapters ?? []).flatMap(({ title, start }) =>
        start === null ? [] : [{ title, start }],
      ),
    };
  }
}
