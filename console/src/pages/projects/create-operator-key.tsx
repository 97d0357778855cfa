// Creates an operator key, then shows it once.
import { KeyForm } from './key-form';
import { createOperatorKey } from './records';

export function CreateOperatorKey({ onCreated, onClose }: { onCreated: () => void; onClose: () => void }) {
  return (
    <KeyForm
      title="Create an operator key"
      nameHint="Who or what uses the key, to recognize it later."
      created={{
        title: 'The operator key was created',
        label: 'Operator key',
        advice: 'It opens everything in this console. Send it only over a safe channel.',
      }}
      onCreate={async (body) => {
        const { key } = await createOperatorKey(body);
        onCreated();
        return key;
      }}
      onClose={onClose}
    />
  );
}
