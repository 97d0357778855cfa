// One file on its way: uploaded, then followed until its job ends. It goes on while other pages are open.
import { computed, signal } from '@preact/signals';
import type { ApiError } from '../../api/error';
import { asApiError } from '../../api/error';
import { cancelJob, isTerminal, readResult } from '../../api/jobs';
import { followJob, isJobEvent } from '../../api/job-events';
import { isOlder } from '../../api/job-order';
import { SegmentLog } from '../../api/segment-log';
import type { Job, JobEvent, Segment } from '../../api/types';
import { upload } from '../../api/upload';
import type { Connection } from '../../api/events';

let nextId = 1;

export class Run {
  readonly id = nextId++;
  readonly sent = signal(0);
  readonly job = signal<Job | null>(null);
  readonly error = signal<ApiError | null>(null);
  readonly stopped = signal(false);
  readonly connection = signal<Connection>('connecting');
  readonly isOver = computed(
    () =>
      this.error.value !== null || this.stopped.value || (this.job.value !== null && isTerminal(this.job.value.status)),
  );
  private readonly log = new SegmentLog();
  readonly segments = this.log.segments;
  private stop: () => void = () => undefined;

  constructor(
    readonly project: string,
    readonly file: File,
    private readonly fields: [string, string][],
    private readonly onUploaded: () => void,
  ) {}

  start(): void {
    this.stop = upload({
      project: this.project,
      file: this.file,
      fields: this.fields,
      onSent: (share) => (this.sent.value = share),
      onJob: (job) => this.follow(job),
      onError: (error) => {
        this.error.value = error;
        this.onUploaded();
      },
    });
  }

  async cancel(): Promise<void> {
    const job = this.job.value;
    if (job) {
      try {
        this.job.value = { ...(await cancelJob(this.project, job.id)), result: null };
      } catch (error) {
        this.error.value = asApiError(error);
      }
      return;
    }
    this.stop();
    this.stopped.value = true;
    this.onUploaded();
  }

  // The job continues, but this page no longer follows it.
  close(): void {
    this.stop();
  }

  private follow(job: Job): void {
    this.job.value = job;
    this.onUploaded();
    this.stop = followJob(this.project, job.id, 'background', {
      onEvent: (event) => this.receive(event),
      onJob: (read) => this.receiveRead(read),
      onConnection: (connection) => (this.connection.value = connection),
      onError: (error) => (this.error.value = error),
    });
  }

  private receive(event: JobEvent): void {
    if (isJobEvent(event.type)) this.receiveJob(event.data as Job);
    else if (event.type === 'job.transcript.segment') this.log.add(event.data as Segment);
  }

  private receiveJob(job: Job): void {
    if (!this.job.value || !isOlder(job, this.job.value)) this.job.value = job;
  }

  // Without a stream, the text comes with the result.
  private receiveRead(job: Job): void {
    this.receiveJob(job);
    if (job.status === 'completed') void this.loadText(job);
  }

  // If the text cannot be read now, the page of the job still has it.
  private async loadText(job: Job): Promise<void> {
    const result = await readResult(this.project, job, () => Promise.resolve()).catch(() => null);
    const segments = result?.transcript?.segments;
    if (segments) this.log.replace(segments);
  }
}
