// What to do if no model can run something: none is installed, or the plan allows none of them.
import type { Model } from '../api/types';
import { Link } from '../components/link';
import { isOperator } from '../session';

export function NoModel({ models }: { models: Model[] }) {
  const plan = models[0]?.required_plan;
  if (plan) return <p class="hint no-model">Needs plan {plan}. {isOperator.value ? <Link to="/projects">Change it</Link> : 'Ask an operator.'}</p>;
  return (
    <p class="hint no-model">
      No model is installed. {isOperator.value ? <Link to="/models">Install one</Link> : 'Ask the operator to install one.'}
    </p>
  );
}
