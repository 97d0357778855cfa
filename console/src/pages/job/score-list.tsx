// Words with scores, as bars: key phrases and topics.
import { formatDecimal } from '../../format/numbers';

interface Scored {
  text: string;
  score: number;
  note?: string;
}

export function ScoreList({ entries }: { entries: Scored[] }) {
  const highest = Math.max(0.0001, ...entries.map((entry) => entry.score));
  if (entries.length === 0) return <p class="soft">Nothing was found.</p>;
  return (
    <ul class="scores">
      {entries.map((entry) => (
        <li key={entry.text}>
          <span>{entry.text}</span>
          <span class="score-bar" aria-hidden="true">
            <span style={{ width: `${Math.max(2, (entry.score / highest) * 100)}%` }} />
          </span>
          <span class="soft small numeric">
            {formatDecimal(entry.score)}
            {entry.note && ` · ${entry.note}`}
          </span>
        </li>
      ))}
    </ul>
  );
}
