// Playback of the recording. The time is a signal that changes with every frame while it plays.
import { batch, signal } from '@preact/signals';
import { showToast } from '../../components/toasts';

export class Player {
  readonly time = signal(0);
  readonly playing = signal(false);
  readonly rate = signal(1);
  readonly duration = signal(0);
  readonly failed = signal(false);
  // How often somebody moved to another position, which playing alone does not change.
  readonly seeks = signal(0);
  private readonly audio = new Audio();
  private frame = 0;

  // With a known duration, nothing is loaded before somebody plays. 0: the duration is read from the recording.
  constructor(source: string, duration: number) {
    this.duration.value = duration;
    this.audio.preload = duration > 0 ? 'none' : 'metadata';
    this.audio.src = source;
    this.audio.onplay = () => this.started();
    this.audio.onpause = () => this.paused();
    this.audio.onseeked = () => (this.time.value = this.audio.currentTime);
    this.audio.ondurationchange = () => {
      if (Number.isFinite(this.audio.duration)) this.duration.value = this.audio.duration;
    };
    this.audio.onerror = () => this.fail();
  }

  toggle(): void {
    if (!this.audio.paused) return this.audio.pause();
    this.audio.play().catch(() => (this.playing.value = false));
  }

  seek(seconds: number): void {
    if (Number.isNaN(seconds)) return;
    const target = Math.max(0, Math.min(seconds, this.duration.value || seconds));
    this.audio.currentTime = target;
    batch(() => {
      this.time.value = target;
      this.seeks.value += 1;
    });
  }

  playFrom(seconds: number): void {
    this.seek(seconds);
    if (this.audio.paused) this.toggle();
  }

  setRate(rate: number): void {
    this.audio.playbackRate = rate;
    this.rate.value = rate;
  }

  close(): void {
    cancelAnimationFrame(this.frame);
    this.audio.onerror = null;
    this.audio.pause();
    this.audio.removeAttribute('src');
    this.audio.load();
  }

  private fail(): void {
    cancelAnimationFrame(this.frame);
    this.failed.value = true;
    if (this.audio.preload === 'none') showToast('This browser cannot play the recording. Download it from the tab Files.', 'bad');
  }

  private started(): void {
    this.playing.value = true;
    const tick = () => {
      this.time.value = this.audio.currentTime;
      this.frame = requestAnimationFrame(tick);
    };
    tick();
  }

  private paused(): void {
    cancelAnimationFrame(this.frame);
    this.playing.value = false;
    this.time.value = this.audio.currentTime;
  }
}
