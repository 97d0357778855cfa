// One file on its way: uploaded, then followed until its job ends. It goes on while other pages are open.
import { computed, signal } from '@preact/signals';
import type { ApiError } from '../../api/error';
import { asApiError } from '../../api/error';
import { cancelJob, isTerminal, newIdempotencyKey, readResult } from '../../api/jobs';
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
  // Why there is no job: the upload failed.
  readonly error = signal<ApiError | null>(null);
  // What went wrong with a job that runs on.
  readonly notice = signal<{ title: string; error: ApiError } | null>(null);
  // Whether the state of the job is no longer known here.
  readonly isUnfollowed = signal(false);
  readonly stopped = signal(false);
  readonly connection = signal<Connection>('connecting');
  readonly isOver = computed(
    () =>
      this.error.value !== null || this.stopped.value || (this.job.value !== null && isTerminal(this.job.value.status)),
  );
  // An attempt whose answer was lost is not repeated: the second one gets the job of the first.
  private readonly idempotencyKey = newIdempotencyKey();
  private readonly log = new SegmentLog();
  readonly segments = this.log.segments;
  private stop: () => void = () => undefined;

  constructor(
    readonly project: string,
    readonly file: File,
    private readonly fields: [string, string][],
    private readonly onUploaded: (run: Run) => void,
  ) {}

  // Before a second attempt.
  reset(): void {
    this.error.value = null;
    this.sent.value = 0;
  }

  start(): void {
    this.stop = upload({
      project: this.project,
      file: this.file,
      fields: this.fields,
      idempotencyKey: this.idempotencyKey,
      onSent: (share) => (this.sent.value = share),
      onJob: (job) => this.follow(job),
      onError: (error) => {
        this.error.value = error;
        this.onUploaded(this);
      },
    });
  }

  async cancel(): Promise<void> {
    const job = this.job.value;
    if (job) {
      try {
        this.receiveJob({ ...(await cancelJob(this.project, job.id)), result: null });
        this.notice.value = null;
      } catch (error) {
        this.notice.value = { title: 'The job was not cancelled.', error: asApiError(error) };
      }
      return;
    }
    this.stop();
    this.stopped.value = true;
    this.onUploaded(this);
  }

  // The job continues, but this page no longer follows it.
  close(): void {
    this.stop();
  }

  // After the events were refused.
  followAgain(): void {
    this.isUnfollowed.value = false;
    this.notice.value = null;
    if (this.job.value) this.follow(this.job.value);
  }

  private follow(job: Job): void {
    this.job.value = job;
    this.onUploaded(this);
    this.stop = followJob(this.project, job.id, 'background', {
      onEvent: (event) => this.receive(event),
      onJob: (read) => this.receiveRead(read),
      onConnection: (connection) => (this.connection.value = connection),
      onError: (error) => this.lose(error),
    });
  }

  private lose(error: ApiError): void {
    this.isUnfollowed.value = true;
    this.notice.value = { title: 'This page no longer follows the job. Open it to see how it goes on.', error };
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
