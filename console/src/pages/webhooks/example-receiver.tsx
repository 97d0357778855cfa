// A receiver to copy, in the language of the reader's choice.
import { useSignal } from '@preact/signals';
import { CodeBlock } from '../../components/code-block';
import { Section } from '../../components/section';
import { Segmented } from '../../components/segmented';
import { receivers } from './receivers';

export function ExampleReceiver() {
  const language = useSignal(receivers[0]?.language ?? '');
  const receiver = receivers.find((entry) => entry.language === language.value);
  const options = receivers.map((entry) => ({ value: entry.language, label: entry.language }));
  return (
    <Section
      title="Example receiver"
      intro="It verifies the Standard Webhooks signature before it uses a message, and needs no packages."
      actions={
        <Segmented
          label="Language"
          options={options}
          value={language.value}
          onChange={(value) => (language.value = value)}
        />
      }
    >
      {receiver && (
        <div class="stack">
          <CodeBlock code={receiver.code} label={receiver.file} />
          <CodeBlock code={receiver.run} label="Start it" />
        </div>
      )}
      <ul class="bullets soft small">
        <li>Answer with a 2xx status within 15 seconds, and do the work afterwards.</li>
        <li>
          The same event can arrive more than once. Remember the <code>webhook-id</code> of what you have done.
        </li>
        <li>Put a server with TLS in front of it: registered endpoints need https.</li>
      </ul>
    </Section>
  );
}
