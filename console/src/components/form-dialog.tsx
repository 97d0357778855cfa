// A form in a dialog. The message of an API error is shown next to the field that `param` names, else above the buttons.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Button } from './button';
import { Dialog } from './dialog';
import { ErrorBox } from './error-box';
import { quoteLiterals } from './quote-literals';
import { useAction } from './use-action';

interface FormDialogProps {
  title: string;
  submit: string;
  // The parameters that have a field in this form.
  params: string[];
  onSubmit: () => Promise<unknown>;
  onClose: () => void;
  children: (errorOf: (param: string) => string | null) => ComponentChildren;
}

export function FormDialog({ title, submit, params, onSubmit, onClose, children }: FormDialogProps) {
  const formId = useId();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>('input, select, textarea')?.focus(), []);
  const action = useAction();
  const error = action.error.value;
  const errorOf = (param: string) => (error?.param === param ? quoteLiterals(error.message) : null);
  const hasField = error?.param !== null && params.includes(error?.param ?? '');
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={formId} busy={action.busy.value}>
            {submit}
          </Button>
        </>
      }
    >
      <form
        ref={form}
        id={formId}
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void action.run(onSubmit);
        }}
      >
        {children(errorOf)}
        {error && !hasField && <ErrorBox error={error} />}
      </form>
    </Dialog>
  );
}
