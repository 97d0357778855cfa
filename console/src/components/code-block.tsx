// Code to read and copy.
import { CopyButton } from './copy-button';

interface CodeBlockProps {
  code: string;
  label: string;
}

export function CodeBlock({ code, label }: CodeBlockProps) {
  return (
    <figure class="code-block">
      <figcaption>
        <span>{label}</span>
        <CopyButton text={code} />
      </figcaption>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- long code scrolls, also with the keyboard */}
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}
