// Chooses the page for the address.
import type { ComponentType } from 'preact';
import { ErrorBox } from './components/error-box';
import { Loading } from './components/loading';
import { Toasts } from './components/toasts';
import { Frame } from './layout/frame';
import { JobPage } from './pages/job/page';
import { JobsPage } from './pages/jobs/page';
import { ModelsPage } from './pages/models/page';
import { NotFoundPage } from './pages/not-found';
import { ProjectsPage } from './pages/projects/page';
import { SignInPage } from './pages/sign-in/page';
import { SystemPage } from './pages/system/page';
import { TranscribePage } from './pages/transcribe/page';
import { UsagePage } from './pages/usage/page';
import { WebhooksPage } from './pages/webhooks/page';
import { project, loadSession, session, sessionError } from './session';
import { route, type PageName } from './router';

// All pages are in one file: together they are smaller than the limit of a first load, and a page that was opened by its
// address has no second file to wait for.
const pages: Record<Exclude<PageName, 'sign-in'>, ComponentType> = {
  transcribe: TranscribePage,
  jobs: JobsPage,
  job: JobPage,
  models: ModelsPage,
  webhooks: WebhooksPage,
  usage: UsagePage,
  projects: ProjectsPage,
  system: SystemPage,
  'not-found': NotFoundPage,
};

export function App() {
  return (
    <>
      <CurrentPage />
      <Toasts />
    </>
  );
}

function CurrentPage() {
  const { page } = route.value;
  if (page === 'sign-in') return <SignInPage />;
  if (sessionError.value) {
    return (
      <main class="alone">
        <ErrorBox error={sessionError.value} title="The console could not start." onRetry={() => void loadSession()} />
      </main>
    );
  }
  if (!session.value) return <Loading />;
  const Page = pages[page];
  return (
    <Frame>
      <Page key={project.value} />
    </Frame>
  );
}
