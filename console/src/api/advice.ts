// What the reader can do about an error, by its code. Most messages of the API already say it; these are the rest.
import type { ApiError } from './error';

const adviceByCode: Record<string, string> = {
  connection_error: 'Check that the server is running and that this computer is online, then try again.',
  expired_session: 'Sign in again.',
  missing_session: 'Sign in again.',
  operator_only: 'Sign in with an operator key (`ok-…`) to open this page.',
  other_project: 'Sign in with a key of that project.',
  insufficient_balance: 'Ask an operator to add credit to this project.',
  plan_required: 'Choose another model, or ask an operator for a higher plan.',
  rate_limit_exceeded: 'Wait a moment, then try again.',
  concurrency_limit_exceeded: 'Wait until other uploads have finished, then try again.',
  engine_overloaded: 'The server is busy. Try again in a minute.',
  storage_unavailable: 'The disk or bucket of the server does not answer. Ask an operator to look at the System page.',
  backend_unavailable: 'A model server does not answer. Ask an operator to look at the System page.',
  shutting_down: 'The server is restarting. Try again in a minute.',
  job_not_found: 'It may have been removed, or it belongs to another project. Go back to the list of jobs.',
  content_unavailable: 'The audio is no longer stored. Upload the file again.',
  worker_lost: 'The file may need more memory than the server has. Try a smaller model, or a shorter file.',
  schema_validation_failed: 'Make the schema simpler, or choose a larger model.',
  output_truncated: 'Raise the maximum number of output tokens of the task.',
  budget_exceeded: 'Raise the cost limit, or run fewer steps.',
  backend_error: 'Run it again. If it fails again, ask an operator to look at the model server.',
  timeout: 'Try again, or use a faster model.',
  internal_error: 'Try again. If it fails again, tell an operator the request id; the log of the server says why.',
  console_error: 'Reload the page. If it happens again, report it with these words.',
};

// Answers that do not come from Auris have a status but no code: those of a proxy.
const unreachable = 'The proxy in front of Auris cannot reach it. Try again in a minute.';
const adviceByStatus: Record<number, string> = {
  413: 'A proxy in front of Auris limits uploads. Ask an operator to raise its limit (nginx: `client_max_body_size`).',
  502: unreachable,
  503: unreachable,
  504: unreachable,
};

// A step of a job has no status.
type Advised = Pick<ApiError, 'code' | 'retryAfterSeconds'> & { status?: number };

export function adviceFor(error: Advised): string | null {
  const byStatus = error.code === 'unknown' ? adviceByStatus[error.status ?? 0] : undefined;
  const advice = adviceByCode[error.code] ?? byStatus ?? null;
  if (error.retryAfterSeconds === null) return advice;
  const wait = `Try again in ${error.retryAfterSeconds} seconds.`;
  return advice ? `${advice} ${wait}` : wait;
}
