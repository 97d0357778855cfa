// Adds to the balance of a project, takes from it, or removes it.
import { useSignal } from '@preact/signals';
import { FormDialog } from '../../components/form-dialog';
import { Notice } from '../../components/notice';
import { SelectField } from '../../components/select-field';
import { TextField } from '../../components/text-field';
import { formatUsd } from '../../format/numbers';
import { changeCredit, type Project } from './records';

interface ChangeCreditProps {
  project: Project;
  onChange: () => void;
  onClose: () => void;
}

export function ChangeCredit({ project, onChange, onClose }: ChangeCreditProps) {
  const action = useSignal('add');
  const amount = useSignal('');
  const hasBalance = project.balance_usd !== null;
  const submit = async () => {
    const text = amount.value.trim();
    const body =
      action.value === 'remove' ? { remove: true as const } : { add_usd: action.value === 'take' ? `-${text}` : text };
    await changeCredit(project.name, body);
    onChange();
    onClose();
  };
  const options = [
    { value: 'add', label: 'Add credit' },
    { value: 'take', label: 'Take credit back' },
    { value: 'remove', label: 'Remove the balance' },
  ];
  return (
    <FormDialog
      title={`Credit of “${project.name}”`}
      submit="Save"
      params={action.value === 'remove' ? [] : ['add_usd']}
      onSubmit={submit}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          <p>
            {hasBalance ? `The balance is ${formatUsd(project.balance_usd)}.` : 'The project spends without limit.'}
          </p>
          {hasBalance && (
            <SelectField
              label="Change"
              value={action.value}
              options={options}
              onChange={(value) => (action.value = value)}
            />
          )}
          {action.value === 'remove' ? (
            <Notice kind="warn">Without a balance, the project spends without limit.</Notice>
          ) : (
            <TextField
              label="Amount in US dollars"
              value={amount.value}
              onInput={(text) => (amount.value = text)}
              hint={hasBalance ? 'For example 10 or 2.50.' : 'With credit, requests are refused when it is used up.'}
              error={errorOf('add_usd')}
              input={{ inputMode: 'decimal', placeholder: '10.00', autocomplete: 'off' }}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}
