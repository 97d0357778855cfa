// Everything that the page knows about one job: loaded once, then kept current from the job's events.
import { batch, computed, signal } from '@preact/signals';
import { asApiError, isAbort, type ApiError } from '../../api/error';
import type { Connection } from '../../api/events';
import { followJob, isJobEvent } from '../../api/job-events';
import { isOlder } from '../../api/job-order';
import { isTerminal, listSteps, readAnalyses, readJob, readResult } from '../../api/jobs';
import { SegmentLog } from '../../api/segment-log';
import type { StreamUse } from '../../api/stream-slots';
import type { Job, JobEvent, JobStep, RecordingAnalyses, RecordingAnalysis, Result, Segment, Transcript } from '../../api/types';
import { nextPaint } from '../../next-paint';
import { mergeResults } from './document';

// Analyses of one recording that the page loads, newest first.
const ANALYSES_SHOWN = 8;
// Wait before asking again whether an analysis that waits for the transcription was submitted.
const ANALYSIS_WAIT_MS = 1500;

export class JobStore {
  readonly job = signal<Job | null>(null);
  readonly steps = signal<JobStep[]>([]);
  readonly error = signal<ApiError | null>(null);
  readonly ownResult = signal<Result | null>(null);
  // Whether `ownResult` is only the beginning of the transcript and the rest is still being read.
  readonly isArriving = signal(false);
  readonly connection = signal<Connection>('connecting');
  readonly taskText = signal<Record<string, string>>({});
  readonly analyses = signal<RecordingAnalysis[]>([]);
  readonly analysisStores = signal<JobStore[]>([]);

  private readonly log = new SegmentLog();
  private readonly controller = new AbortController();
  private stopFollowing: (() => void) | null = null;

  readonly isLive = computed(() => this.job.value !== null && !isTerminal(this.job.value.status));
  // The result of this job together with those of the analyses of its recording.
  readonly document = computed(() =>
    mergeResults([this.ownResult.value, ...this.analysisStores.value.map((store) => store.ownResult.value)]),
  );
  private readonly storedTranscript = computed(() => this.document.value.transcript ?? null);
  readonly transcript = computed(() => this.storedTranscript.value ?? liveTranscript(this.log.segments.value));
  readonly allSteps = computed(() => [
    ...this.steps.value,
    ...this.analysisStores.value.flatMap((store) => store.steps.value),
  ]);
  private readonly stepCount = computed(() => this.steps.value.length || (this.job.value?.progress?.total_steps ?? 0));
  readonly allStepCount = computed(() =>
    this.analysisStores.value.reduce((sum, store) => sum + store.stepCount.value, this.stepCount.value),
  );
  // How often each step of this job and of the analyses was started, by its id.
  readonly attempts = signal<Record<string, number>>({});
  readonly allTaskText = computed(
    () =>
      Object.assign(
        {},
        this.taskText.value,
        ...this.analysisStores.value.map((store) => store.taskText.value),
      ) as Record<string, string>,
  );

  constructor(
    readonly project: string,
    readonly jobId: string,
    private readonly isAnalysis = false,
  ) {}

  async open(): Promise<void> {
    await this.reload();
    if (this.isLive.value && !this.controller.signal.aborted) this.follow();
  }

  close(): void {
    this.controller.abort();
    this.stopFollowing?.();
    for (const store of this.analysisStores.value) store.close();
  }

  async reload(): Promise<void> {
    const { signal: aborted } = this.controller;
    try {
      const job = await readJob(this.project, this.jobId, aborted);
      this.show(job, await this.readResult(job));
      await nextPaint();
      await Promise.all([
        !this.isAnalysis && this.loadSteps(),
        !this.isAnalysis && job.operation === 'transcription' && this.reloadAnalyses(),
      ]);
    } catch (error) {
      if (!isAbort(error) && !aborted.aborted) this.fail(asApiError(error));
    }
  }

  // While a large result arrives, its beginning is shown, unless there is text already.
  private async readResult(job: Job): Promise<Result | null> {
    const onBeginning = async (beginning: Result) => {
      if (this.isAnalysis || this.transcript.peek() || !beginning.transcript?.segments?.length) return;
      this.show(job, { ...job.result, transcript: beginning.transcript }, true);
      await nextPaint();
    };
    return readResult(this.project, job, onBeginning, this.controller.signal);
  }

  private show(job: Job, result: Result | null, isArriving = false): void {
    batch(() => {
      this.ownResult.value = result;
      this.isArriving.value = isArriving;
      this.job.value = job;
      this.error.value = null;
    });
  }

  // What is shown stays; the error says that it may not be all.
  private fail(error: ApiError): void {
    batch(() => {
      this.isArriving.value = false;
      this.error.value = error;
    });
  }

  // The steps of analyses are loaded when they are looked at; the events of a running one bring them.
  async loadAllSteps(): Promise<void> {
    const missing = this.analysisStores.value.filter((store) => store.steps.value.length === 0);
    await Promise.all(missing.map((store) => store.loadSteps().catch(() => undefined)));
  }

  // How often each step was started is not part of a step. It comes with the analyses, and changes while steps run.
  async loadAttempts(): Promise<void> {
    this.showAttempts(await readAnalyses(this.project, this.jobId, this.controller.signal));
  }

  private showAttempts({ attempts }: RecordingAnalyses): void {
    this.attempts.value = Object.fromEntries(attempts.data.map((entry) => [entry.step_id, entry.attempts]));
  }

  private async loadSteps(): Promise<void> {
    this.steps.value = (await listSteps(this.project, this.jobId, this.controller.signal)).data;
  }

  async reloadAnalyses(): Promise<void> {
    const { signal: aborted } = this.controller;
    const answer = await readAnalyses(this.project, this.jobId, aborted).catch(() => null);
    if (!answer || aborted.aborted) return;
    this.showAttempts(answer);
    const list = answer.analyses;
    this.analyses.value = list.data;
    const known = new Map(this.analysisStores.value.map((store) => [store.jobId, store]));
    const ids = list.data
      .flatMap((entry) => (entry.job_id ? [entry.job_id] : []))
      .sort()
      .reverse();
    const shown = ids.slice(0, ANALYSES_SHOWN);
    this.analysisStores.value = shown.map((id) => known.get(id) ?? this.openAnalysis(id));
    for (const [id, store] of known) if (!shown.includes(id)) store.close();
    if (list.data.some((entry) => entry.status === 'waiting') && this.job.value?.status === 'completed') {
      setTimeout(() => void this.reloadAnalyses(), ANALYSIS_WAIT_MS);
    }
  }

  private openAnalysis(jobId: string): JobStore {
    const store = new JobStore(this.project, jobId, true);
    void store.open();
    return store;
  }

  // The job of the page comes before its analyses.
  private get use(): StreamUse {
    return this.isAnalysis ? 'part' : 'page';
  }

  private follow(): void {
    this.stopFollowing?.();
    this.stopFollowing = followJob(this.project, this.jobId, this.use, {
      onEvent: (event) => this.receive(event),
      onJob: (job) => this.receiveRead(job),
      onConnection: (connection) => (this.connection.value = connection),
      onError: (error) => (this.error.value = error),
    });
  }

  private receive(event: JobEvent): void {
    if (event.data === null) return;
    if (isJobEvent(event.type)) this.receiveJob(event.data as Job);
    else if (event.type.startsWith('job.step.')) this.receiveStep(event.data as JobStep);
    else if (event.type === 'job.transcript.segment') this.log.add(event.data as Segment);
    else if (event.type === 'job.task.delta') this.receiveDelta(event.data as { step_key: string; delta: string });
  }

  private receiveJob(job: Job): void {
    const known = this.job.value;
    if (known && isOlder(job, known)) return;
    this.job.value = job;
    if (isTerminal(job.status)) void this.reload();
  }

  // Without a stream, the steps that are shown have to be read, too.
  private receiveRead(job: Job): void {
    this.receiveJob(job);
    if (this.steps.value.length > 0) void this.loadSteps().catch(() => undefined);
  }

  private receiveStep(step: JobStep): void {
    const others = this.steps.value.some((entry) => entry.id === step.id);
    this.steps.value = others
      ? this.steps.value.map((entry) => (entry.id === step.id ? step : entry))
      : [...this.steps.value, step];
  }

  private receiveDelta({ step_key: key, delta }: { step_key: string; delta: string }): void {
    this.taskText.value = { ...this.taskText.value, [key]: (this.taskText.value[key] ?? '') + delta };
  }
}

function liveTranscript(segments: Segment[]): Transcript | null {
  if (segments.length === 0) return null;
  return { text: segments.map((segment) => segment.text.trim()).join(' '), segments };
}
