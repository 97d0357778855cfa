// The totals of a report and the balance of the project, as large numbers.
import { formatInteger, formatUsd } from '../../format/numbers';
import { formatAudio } from './measures';
import type { Account, UsageTotal } from './records';

export function AccountFacts({ account, total }: { account: Account | null; total: UsageTotal }) {
  const { usage } = total;
  return (
    <dl class="tiles">
      <Tile label="Cost" value={formatUsd(usage.cost_usd)} />
      <Tile label="Model calls" value={formatInteger(total.requests)} />
      <Tile label="Audio" value={formatAudio(usage.audio_seconds)} />
      {usage.input_tokens + usage.output_tokens > 0 && (
        <Tile
          label="Tokens"
          value={formatInteger(usage.input_tokens + usage.output_tokens)}
          note={`${formatInteger(usage.input_tokens)} input, ${formatInteger(usage.output_tokens)} output`}
        />
      )}
      {account && <Balance account={account} />}
    </dl>
  );
}

function Balance({ account }: { account: Account }) {
  const plan = `Plan ${account.plan}`;
  if (account.balance_usd === null) return <Tile label="Balance" value="Unlimited" note={plan} />;
  const held = Number(account.held_usd) > 0 ? `, ${formatUsd(account.held_usd)} held for running requests` : '';
  return <Tile label="Balance" value={formatUsd(account.balance_usd)} note={plan + held} />;
}

function Tile({ label, value, note }: { label: string; value: string; note?: string | undefined }) {
  return (
    <div class="tile">
      <dt>{label}</dt>
      <dd>
        {value}
        {note && <span class="tile-note">{note}</span>}
      </dd>
    </div>
  );
}
