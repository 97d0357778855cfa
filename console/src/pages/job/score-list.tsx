// Words with scores from 0 to 1, as bars: key phrases and topics.
import { formatDecimal } from '../../format/numbers';

interface Scored {
  text: string;
  score: number;
  note?: string;
}

export function ScoreList({ title, entries }: { title: string; entries: Scored[] }) {
  if (entries.length === 0) return <p class="soft">Nothing was found.</p>;
  return (
    <ul class="scores">
      <li class="soft small">
        <span>{title}</span>
        {/* The last column, also where the bar has its own line. */}
        <span style={{ gridColumn: '-2 / -1' }}>Score</span>
      </li>
      {entries.map((entry) => (
        <li key={entry.text}>
          <span>{entry.text}</span>
          <span class="score-bar" aria-hidden="true">
            <span style={{ width: `${Math.min(100, Math.max(2, entry.score * 100))}%` }} />
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
