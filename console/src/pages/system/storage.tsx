// Disk, database, and where recordings are stored.
import { Badge } from '../../components/badge';
import { Meter } from '../../components/meter';
import { Section } from '../../components/section';
import { formatBytes } from '../../format/numbers';
import type { Overview } from './records';

export function Storage({ overview }: { overview: Overview }) {
  const { disk, database, blobs } = overview;
  return (
    <Section title="Storage">
      <div class="card stack">
        <DiskSpace free={disk.path_free_bytes} total={disk.path_total_bytes} />
        <ul class="lines">
          <li>
            <span>Database: {database.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'}</span>
            <span class="row">
              {database.bytes !== null && <span class="numeric soft">{formatBytes(database.bytes)}</span>}
              <Badge kind={database.ok ? 'good' : 'bad'}>{database.ok ? 'Connected' : 'Not connected'}</Badge>
            </span>
          </li>
          <li>
            <span>Recordings and results</span>
            <span class="soft">{blobs.kind === 'folder' ? 'Folder' : 'Bucket'}</span>
          </li>
        </ul>
      </div>
    </Section>
  );
}

function DiskSpace({ free, total }: { free: number | null; total: number | null }) {
  if (free === null || !total) return <p class="soft">The system does not report the space of the disk.</p>;
  const text = `${formatBytes(free)} free of ${formatBytes(total)}`;
  return (
    <div>
      <p class="row between">
        <span>Disk of the data folder</span>
        <span class="numeric soft">{text}</span>
      </p>
      <Meter label="Used part of the disk" share={(total - free) / total} text={text} />
    </div>
  );
}
