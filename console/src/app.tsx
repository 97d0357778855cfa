// Chooses the page for the address.
import type { ComponentType } from 'preact';
import { ErrorBox } from './components/error-box';
import { Loading } from './components/loading';
import { Toasts } from './components/toasts';
import { Frame } from './layout/frame';
import { LazyPage } from './layout/lazy-page';
import { NotFoundPage } from './pages/not-found';
import { SignInPage } from './pages/sign-in/page';
import { TranscribePage } from './pages/transcribe/page';
import { JobsPage } from './pages/jobs/page';
import { project, loadSession, session, sessionError } from './session';
import { route, type PageName } from './router';

const lazyPages: Partial<Record<PageName, () => Promise<{ Page: ComponentType }>>> = {
  job: () => import('./pages/job/page'),
  models: () => import('./pages/models/page'),
  webhooks: () => import('./pages/webhooks/page'),
  usage: () => import('./pages/usage/page'),
  projects: () => import('./pages/projects/page'),
  system: () => import('./pages/system/page'),
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
  if (route.value.page === 'sign-in') return <SignInPage />;
  if (sessionError.value) {
    return (
      <main class="alone">
        <ErrorBox error={sessionError.value} title="The console could not start." onRetry={() => void loadSession()} />
      </main>
    );
  }
  if (!session.value) return <Loading />;
  return (
    <Frame>
      <PageOfRoute key={project.value} />
    </Frame>
  );
}

function PageOfRoute() {
  const { page } = route.value;
  const load = lazyPages[page];
  if (load) return <LazyPage load={load} />;
  if (page === 'transcribe') return <TranscribePage />;
  if (page === 'jobs') return <JobsPage />;
  return <NotFoundPage />;
}
