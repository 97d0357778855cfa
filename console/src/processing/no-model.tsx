// What to do if no model is installed that can run something.
import { Link } from '../components/link';
import { isOperator } from '../session';

export function NoModel() {
  return (
    <p class="hint no-model">
      No model is installed. {isOperator.value ? <Link to="/models">Install one</Link> : 'Ask the operator to install one.'}
    </p>
  );
}
