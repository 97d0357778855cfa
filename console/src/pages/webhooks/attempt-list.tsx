// Every attempt of a delivery, the newest first.
import { Badge } from '../../components/badge';
import { Time } from '../../components/time';
import { formatInteger } from '../../format/numbers';
import { attemptText, isSuccess } from './delivery-words';
import type { Attempt } from './records';

export function AttemptList({ attempts }: { attempts: Attempt[] }) {
  if (attempts.length === 0) return <p class="soft">No attempt was made yet.</p>;
  const newestFirst = [...attempts].sort((one, other) => other.number - one.number);
  return (
    <ol class="attempts" aria-label="Attempts">
      {newestFirst.map((attempt) => (
        <li key={attempt.number}>
          <div class="row">
            <Badge kind={isSuccess(attempt) ? 'good' : 'bad'}>{attemptText(attempt)}</Badge>
            <span class="soft small">
              Attempt {formatInteger(attempt.number)}, <Time seconds={attempt.started_at} exact />,{' '}
              {`${formatInteger(attempt.milliseconds)}\u00a0ms`}
            </span>
          </div>
          {attempt.error && <p class="small wrap">{attempt.error}</p>}
          {attempt.answer && <pre class="plain-text">{attempt.answer}</pre>}
        </li>
      ))}
    </ol>
  );
}
