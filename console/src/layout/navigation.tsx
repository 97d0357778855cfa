// The links to the pages. Operators also see projects and the system.
import { Icon, type IconName } from '../components/icon';
import { Link } from '../components/link';
import { route, type PageName } from '../router';
import { isOperator } from '../session';

interface Entry {
  page: PageName;
  to: string;
  label: string;
  icon: IconName;
  operator?: boolean;
}

const entries: Entry[] = [
  { page: 'transcribe', to: '/', label: 'Transcribe', icon: 'transcribe' },
  { page: 'jobs', to: '/jobs', label: 'Jobs', icon: 'jobs' },
  { page: 'models', to: '/models', label: 'Models', icon: 'models' },
  { page: 'webhooks', to: '/webhooks', label: 'Webhooks', icon: 'webhooks' },
  { page: 'usage', to: '/usage', label: 'Usage', icon: 'usage' },
  { page: 'projects', to: '/projects', label: 'Projects', icon: 'projects', operator: true },
  { page: 'system', to: '/system', label: 'System', icon: 'system', operator: true },
];

export function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const current = route.value.page === 'job' ? 'jobs' : route.value.page;
  const visible = entries.filter((entry) => !entry.operator || isOperator.value);
  return (
    <ul class="navigation">
      {visible.map((entry) => (
        <li key={entry.page}>
          <Link to={entry.to} aria-current={entry.page === current ? 'page' : undefined} onClick={onNavigate}>
            <Icon name={entry.icon} />
            {entry.label}
          </Link>
        </li>
      ))}
      <li class="navigation-docs">
        <a href="/docs">
          <Icon name="docs" />
          API reference
        </a>
      </li>
    </ul>
  );
}
