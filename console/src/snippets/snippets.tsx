// The same call as code, in the language of the reader's choice.
import { useSignal } from '@preact/signals';
import { CodeBlock } from '../components/code-block';
import { Tabs } from '../components/tabs';
import type { Call } from './call';
import { curlSnippet } from './curl';
import { nodeSnippet } from './node';
import { pythonSnippet } from './python';

const languages = [
  { id: 'curl', label: 'curl', make: curlSnippet },
  { id: 'python', label: 'Python', make: pythonSnippet },
  { id: 'node', label: 'Node', make: nodeSnippet },
];

export function Snippets({ call }: { call: Call }) {
  const selected = useSignal('curl');
  const language = languages.find((entry) => entry.id === selected.value) ?? languages[0];
  if (!language) return null;
  return (
    <Tabs label="Language" tabs={languages} selected={language.id} onSelect={(id) => (selected.value = id)}>
      <CodeBlock label={`${language.label}, with your key in AURIS_API_KEY`} code={language.make(call)} />
    </Tabs>
  );
}
