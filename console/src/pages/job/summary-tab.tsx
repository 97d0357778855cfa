// The summary as text and points.
import { CopyButton } from '../../components/copy-button';
import type { Result } from '../../api/types';

export function SummaryTab({ summary }: { summary: NonNullable<Result['summary']> }) {
  const whole = [summary.text, ...summary.bullets.map((bullet) => `- ${bullet}`)].filter(Boolean).join('\n');
  return (
    <article class="prose">
      {summary.text
        .split(/\n{2,}/)
        .filter(Boolean)
        .map((text, index) => (
          <p key={index}>{text}</p>
        ))}
      {summary.bullets.length > 0 && (
        <ul class="bullets">
          {summary.bullets.map((bullet, index) => (
            <li key={index}>{bullet}</li>
          ))}
        </ul>
      )}
      <CopyButton text={whole} />
    </article>
  );
}
