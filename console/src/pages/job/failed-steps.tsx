// The steps that failed in a job that went on without them.
import type { Result } from '../../api/types';
import { Link } from '../../components/link';
import { LiteralText } from '../../components/literal-text';
import { Notice } from '../../components/notice';
import { stepName } from '../../format/names';
import { plural } from '../../format/numbers';
import { path } from '../../router';

export function FailedSteps({ errors }: { errors: NonNullable<Result['errors']> }) {
  if (errors.length === 0) return null;
  return (
    <Notice kind="warn">
      <p>
        <strong>{plural(errors.length, 'step')} failed.</strong> The other results are complete.
      </p>
      {errors.map((error) => (
        <p key={error.step_id}>
          {stepName(error.step_key)}: <LiteralText text={error.message} />
        </p>
      ))}
      <p>
        <Link to={path.value} query={{ tab: 'steps' }}>
          Look at the steps
        </Link>
      </p>
    </Notice>
  );
}
