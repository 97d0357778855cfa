// The text in paragraphs, as the formatting stage wrote it. Long texts are shown in parts.
import { useSignal } from '@preact/signals';
import type { Result } from '../../api/types';
import { Button } from '../../components/button';
import { CopyButton } from '../../components/copy-button';
import { plural } from '../../format/numbers';

const PARAGRAPHS_SHOWN = 60;

export function FormattedTab({ formatting }: { formatting: NonNullable<Result['formatting']> }) {
  const shown = useSignal(PARAGRAPHS_SHOWN);
  const rest = formatting.paragraphs.length - shown.value;
  return (
    <article class="prose">
      <CopyButton text={() => formatting.text} label="Copy all" />
      {formatting.paragraphs.slice(0, shown.value).map((paragraph, index) => (
        <p key={index}>{paragraph.text}</p>
      ))}
      {rest > 0 && (
        <Button onClick={() => (shown.value += PARAGRAPHS_SHOWN)}>Show {plural(rest, 'more paragraph')}</Button>
      )}
    </article>
  );
}
