// Links to the analyses whose results are not part of this page.
import { Link } from '../../components/link';
import { Notice } from '../../components/notice';
import { plural } from '../../format/numbers';

export function OlderAnalyses({ ids, shown }: { ids: string[]; shown: number }) {
  if (ids.length === 0) return null;
  return (
    <Notice>
      <details class="inline-details">
        <summary>
          This page shows the latest {plural(shown, 'analysis', 'analyses')}. There{' '}
          {ids.length === 1 ? 'is one older one.' : `are ${ids.length} older ones.`}
        </summary>
        <ul class="bullets">
          {ids.map((id) => (
            <li key={id}>
              <Link to={`/jobs/${id}`}>
                <code>{id}</code>
              </Link>
            </li>
          ))}
        </ul>
      </details>
    </Notice>
  );
}
