// What to do if no model can run something: none is installed, or the plan allows none of them.
import type { Model } from '../api/types';
import { Link } from '../components/link';
import { isOperator } from '../session';

export function NoModel({ models }: { models: Model[] }) {
  const plan = models[0]?.required_plan;
  return (
    <p class="hint no-model">
      {plan ? (
        <>
          Needs plan {plan}. {isOperator.value ? <Link to="/projects">Change the plan</Link> : 'Ask an operator for it.'}
        </>
      ) : (
        <>
          No model is installed.{' '}
          {isOperator.value ? <Link to="/models">Install one</Link> : 'Ask an operator to install one.'}
        </>
      )}
    </p>
  );
}
