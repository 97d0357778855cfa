// Everything that the page knows about one job: loaded once, then kept current from the job's events.
import { batch, computed, signal } from '@preact/signals';
import { ApiError, asApiError, isAbort } from '../../api/error';
import type { Connection } from '../../api/events';
import { followJob, isJobEvent } from '../../api/job-events';
import { isOlder } from '../../api/job-order';
import { isTerminal, listSteps, readAnalyses, readAnalysisSteps, readJob, readResult } from '../../api/jobs';
import { SegmentLog } from '../../api/segment-log';
import type { StreamUse } from '../../api/stream-slots';
import type {
  Job,
  JobEvent,
  JobStep,
  List,
  RecordingAnalysis,
  Result,
  Segment,
  StepAttempts,
  Transcript,
} from '../../api/types';
import { nextPaint } from '../../next-paint';
import { mergeResults } from './document';

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
  // The ids of analyses that are not part of the page, newest first.
  readonly olderAnalyses = signal<string[]>([]);
  // Whether the analyses were asked for, or there can be none.
  readonly knowsAnalyses = signal(false);
  // How often the job was read: again when it has ended or its content was deleted, which changes its files.
  readonly timesRead = signal(0);

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
  // In the order of time: the analyses are newest first.
  readonly allSteps = computed(() => [
    ...this.steps.value,
    ...[...this.analysisStores.value].reverse().flatMap((store) => store.steps.value),
  ]);
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

  // An analysis comes with the list of analyses, so it is not read again.
  async open(known?: Job): Promise<void> {
    await this.reload(known);
    if (this.isLive.value && !this.controller.signal.aborted) this.follow();
  }

  close(): void {
    this.controller.abort();
    this.stopFollowing?.();
    for (const store of this.analysisStores.value) store.close();
  }

  async reload(known?: Job): Promise<void> {
    const { signal: aborted } = this.controller;
    try {
      const job = known ?? (await readJob(this.project, this.jobId, aborted));
      this.show(job, await this.readResult(job));
      if (!known) this.timesRead.value += 1;
      if (job.operation !== 'transcription') this.knowsAnalyses.value = true;
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

  // The steps of analyses are loaded when they are looked at; the events of a running one bring them. How often each
  // step was started is not part of a step. It comes with the analyses, and changes while steps run.
  async loadAnalysisSteps(): Promise<void> {
    const { steps, attempts } = await readAnalysisSteps(this.project, this.jobId, this.controller.signal);
    batch(() => {
      this.showAttempts(attempts);
      for (const store of this.analysisStores.value) {
        if (store.steps.value.length > 0) continue;
        store.steps.value = steps.data.filter((step) => step.job_id === store.jobId);
      }
    });
  }

  private showAttempts({ data }: List<StepAttempts>): void {
    this.attempts.value = Object.fromEntries(data.map((entry) => [entry.step_id, entry.attempts]));
  }

  private async loadSteps(): Promise<void> {
    this.steps.value = (await listSteps(this.project, this.jobId, this.controller.signal)).data;
  }

  async reloadAnalyses(): Promise<void> {
    const { signal: aborted } = this.controller;
    const answer = await readAnalyses(this.project, this.jobId, aborted).catch(asApiError);
    if (aborted.aborted) return;
    this.knowsAnalyses.value = true;
    if (answer instanceof ApiError) return this.fail(answer);
    const list = answer.analyses;
    batch(() => {
      this.showAttempts(answer.attempts);
      this.analyses.value = list.data;
      this.showAnalyses(list.data);
    });
    if (list.data.some((entry) => entry.status === 'waiting') && this.job.value?.status === 'completed') {
      setTimeout(() => void this.reloadAnalyses(), ANALYSIS_WAIT_MS);
    }
  }

  // The server lists them oldest first, and only the latest ones with their jobs.
  private showAnalyses(list: RecordingAnalysis[]): void {
    const known = new Map(this.analysisStores.value.map((store) => [store.jobId, store]));
    const submitted = list.filter((entry) => entry.job_id !== null).reverse();
    const shown = submitted.flatMap((entry) => entry.job ?? []);
    this.olderAnalyses.value = submitted.flatMap((entry) => (entry.job ? [] : (entry.job_id ?? [])));
    this.analysisStores.value = shown.map((job) => known.get(job.id) ?? this.openAnalysis(job));
    const ids = new Set(shown.map((job) => job.id));
    for (const [id, store] of known) if (!ids.has(id)) store.close();
  }

  private openAnalysis(job: Job): JobStore {
    const store = new JobStore(this.project, job.id, true);
    void store.open(job);
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
