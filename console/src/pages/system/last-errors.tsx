// The last errors in the log of the node that answered.
import { LiteralText } from '../../components/literal-text';
import { Section } from '../../components/section';
import { Time } from '../../components/time';
import type { LoggedError } from './records';

export function LastErrors({ errors }: { errors: LoggedError[] }) {
  return (
    <Section title="Last errors" intro="From the log of this node.">
      {errors.length === 0 ? (
        <p class="soft">None since this node started.</p>
      ) : (
        <ol class="card log">
          {errors.map((error, index) => (
            <li key={`${error.at} ${index}`}>
              <span class="soft small">
                <Time seconds={error.at} exact /> <code>{error.target}</code>
              </span>
              <span class="wrap">
                <LiteralText text={error.message} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}
