// Records from the microphone, with its level, pauses and a length limit.
import { signal } from '@preact/signals';

// Whether a recording runs or pauses.
export const isRecording = signal(false);

export type RecorderState = 'idle' | 'asking' | 'recording' | 'paused';

const mimeTypes = ['audio/webm;codecs=opus', 'audio/mp4', 'audio/ogg;codecs=opus'];

export class Recorder {
  readonly state = signal<RecorderState>('idle');
  readonly seconds = signal(0);
  // The loudness now, from 0 to 1.
  readonly level = signal(0);
  readonly error = signal<string | null>(null);

  private stream: MediaStream | null = null;
  private recorder: MediaRecorder | null = null;
  private context: AudioContext | null = null;
  private chunks: Blob[] = [];
  private bytes = 0;
  private countedUntil = 0;
  private isClosed = false;

  constructor(
    private readonly maxBytes: number,
    private readonly onFile: (file: File) => void,
  ) {}

  async start(): Promise<void> {
    this.error.value = null;
    this.state.value = 'asking';
    try {
      this.stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    } catch (failure) {
      this.state.value = 'idle';
      this.error.value = reasonFor(failure);
      return;
    }
    if (this.isClosed) return this.release();
    const mimeType = mimeTypes.find((type) => MediaRecorder.isTypeSupported(type));
    const recorder = new MediaRecorder(this.stream, mimeType ? { mimeType } : {});
    recorder.ondataavailable = (event) => this.collect(event.data);
    recorder.onstop = () => this.finish(recorder.mimeType);
    this.recorder = recorder;
    this.chunks = [];
    this.bytes = 0;
    this.seconds.value = 0;
    this.countedUntil = performance.now();
    recorder.start(1000);
    this.state.value = 'recording';
    isRecording.value = true;
    this.measure(this.stream);
  }

  pause(): void {
    this.recorder?.pause();
    this.state.value = 'paused';
    this.level.value = 0;
  }

  resume(): void {
    this.recorder?.resume();
    this.countedUntil = performance.now();
    this.state.value = 'recording';
  }

  stop(): void {
    if (this.recorder && this.recorder.state !== 'inactive') this.recorder.stop();
  }

  // The page is left: what was recorded so far becomes a file.
  close(): void {
    this.isClosed = true;
    this.stop();
  }

  discard(): void {
    if (this.recorder) this.recorder.onstop = null;
    this.stop();
    this.release();
  }

  private collect(chunk: Blob): void {
    this.chunks.push(chunk);
    this.bytes += chunk.size;
    // The next second must still fit into the upload limit.
    if (this.bytes > this.maxBytes * 0.98) this.stop();
  }

  private finish(mimeType: string): void {
    const type = mimeType.split(';')[0] ?? 'audio/webm';
    const extension = type.split('/')[1] ?? 'webm';
    const time = new Date()
      .toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
      .replace(/[/:]/g, '-');
    this.onFile(new File(this.chunks, `Recording ${time}.${extension}`, { type }));
    this.release();
  }

  private release(): void {
    this.stream?.getTracks().forEach((track) => track.stop());
    void this.context?.close();
    this.stream = null;
    this.recorder = null;
    this.context = null;
    this.chunks = [];
    this.state.value = 'idle';
    isRecording.value = false;
    this.level.value = 0;
  }

  private measure(stream: MediaStream): void {
    const context = new AudioContext();
    const analyser = context.createAnalyser();
    analyser.fftSize = 1024;
    context.createMediaStreamSource(stream).connect(analyser);
    this.context = context;
    const samples = new Float32Array(analyser.fftSize);
    const tick = () => {
      if (this.context !== context) return;
      if (this.state.value === 'recording') {
        analyser.getFloatTimeDomainData(samples);
        this.level.value = loudness(samples);
        const now = performance.now();
        this.seconds.value += (now - this.countedUntil) / 1000;
        this.countedUntil = now;
      }
      setTimeout(tick, 60);
    };
    tick();
  }
}

// Decibels from -60 to 0 as 0 to 1, which looks even to the ear.
function loudness(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  const decibels = 10 * Math.log10(sum / samples.length + 1e-9);
  return Math.min(1, Math.max(0, (decibels + 60) / 60));
}

function reasonFor(failure: unknown): string {
  const name = failure instanceof DOMException ? failure.name : '';
  if (name === 'NotAllowedError')
    return 'The browser did not allow the microphone. Allow it in the settings of this page, then try again.';
  if (name === 'NotFoundError') return 'No microphone was found. Connect one, then try again.';
  if (name === 'NotReadableError') return 'Another program uses the microphone. Close it, then try again.';
  return 'The microphone could not be opened. Try again, or choose a file.';
}
