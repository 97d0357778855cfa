// The timeline of the steps: what waited, ran, was repeated or skipped, with model, cost and time.
import { useEffect, useRef } from 'preact/hooks';
import { adviceFor } from '../../api/advice';
import type { JobStep } from '../../api/types';
import { LiteralText } from '../../components/literal-text';
import { StatusBadge } from '../../components/status-badge';
import { stepName } from '../../format/names';
import { formatUsd, plural } from '../../format/numbers';
import { formatClock, formatDuration } from '../../format/time';
import type { JobStore } from './job-store';

export function StepsTab({ store }: { store: JobStore }) {
  const analyses = store.analysisStores.value;
  const steps = store.allSteps.value;
  // A step that starts again changes its status. When all have ended, one request is enough.
  const isLive = [store, ...analyses].some((entry) => entry.isLive.value);
  const states = isLive ? steps.map((step) => step.status).join() : 'ended';
  // The page of a transcription has loaded the attempts with its analyses.
  const mayHaveChanged = useRef(store.job.value?.operation === 'analysis');
  if (isLive) mayHaveChanged.current = true;
  useEffect(() => {
    const isComplete = analyses.every((analysis) => analysis.steps.value.length > 0);
    if (!isComplete || mayHaveChanged.current) void store.loadAnalysisSteps().catch(() => undefined);
  }, [analyses, states]);
  const attempts = store.attempts.value;
  const now = Math.floor(Date.now() / 1000);
  const from = Math.min(...steps.map((step) => step.created_at));
  const to = Math.max(
    from + 1,
    ...steps.map((step) => step.completed_at ?? (step.status === 'in_progress' ? now : step.created_at)),
  );
  return (
    <ol class="timeline">
      {steps.map((step) => (
        <StepEntry
          key={step.id}
          step={step}
          from={from}
          to={to}
          now={now}
          attempts={step.error?.attempts ?? attempts[step.id] ?? 1}
        />
      ))}
    </ol>
  );
}

interface StepEntryProps {
  step: JobStep;
  from: number;
  to: number;
  now: number;
  attempts: number;
}

function StepEntry({ step, from, to, now, attempts }: StepEntryProps) {
  const advice = step.error ? adviceFor({ code: step.error.code ?? '', retryAfterSeconds: null }) : null;
  return (
    <li class={`step ${step.status}`}>
      <div class="step-head">
        <strong>{stepName(step.key)}</strong>
        <StatusBadge status={step.status} />
        {attempts > 1 && <span class="chip">{plural(attempts, 'attempt')}</span>}
        <span class="space" />
        <span class="soft small">{step.resolved_model ?? step.requested_model ?? ''}</span>
        <span class="small numeric">{step.cost_usd === null ? '' : formatUsd(step.cost_usd)}</span>
      </div>
      <StepBar step={step} from={from} to={to} now={now} />
      <p class="soft small">{stepTimes(step, now)}</p>
      {step.error && (
        <p class="small step-error">
          <LiteralText text={advice ? `${step.error.message} ${advice}` : step.error.message} />
        </p>
      )}
    </li>
  );
}

// The bar shows the wait in grey and the run in colour, on the time scale of the whole job.
function StepBar({ step, from, to, now }: Omit<StepEntryProps, 'attempts'>) {
  const percent = (seconds: number) => ((seconds - from) / (to - from)) * 100;
  const started = step.started_at ?? (step.status === 'queued' || step.status === 'blocked' ? now : step.created_at);
  const ended = step.completed_at ?? (step.status === 'in_progress' ? now : started);
  const place = (start: number, end: number) => ({
    left: `${Math.min(99, percent(start))}%`,
    width: `${Math.max(end > start ? 0.8 : 0, Math.min(100, percent(end)) - percent(start))}%`,
  });
  return (
    <div class="step-bar" aria-hidden="true">
      <span class="waited" style={place(step.created_at, Math.min(started, to))} />
      {step.started_at !== null && <span class="ran" style={place(started, Math.max(ended, started + 0.01))} />}
    </div>
  );
}

function stepTimes(step: JobStep, now: number): string {
  if (step.started_at === null)
    return step.status === 'skipped' ? 'It never ran.' : `Created at ${formatClock(step.created_at)}`;
  const waited = step.started_at - step.created_at;
  const ran = (step.completed_at ?? now) - step.started_at;
  const parts = [`Started at ${formatClock(step.started_at)}`];
  if (waited > 0) parts.push(`waited ${formatDuration(waited)}`);
  parts.push(step.completed_at === null ? `running for ${formatDuration(ran)}` : `ran ${formatDuration(ran)}`);
  return parts.join(', ');
}
