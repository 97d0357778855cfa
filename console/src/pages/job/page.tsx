// One job: its progress while it runs, its transcript with playback, and the results of all analyses.
import { useEffect, useMemo } from 'preact/hooks';
import { ApiError } from '../../api/error';
import type { Job } from '../../api/types';
import { ErrorBox } from '../../components/error-box';
import { JobProgress } from '../../components/job-progress';
import { Link } from '../../components/link';
import { Loading } from '../../components/loading';
import { stepPhrase } from '../../format/names';
import { route } from '../../router';
import { project } from '../../session';
import { AnalysesPanel } from './analyses-panel';
import { FailedSteps } from './failed-steps';
import { JobHeader } from './job-header';
import { JobTabs } from './job-tabs';
import { JobView } from './job-view';
import { PlayerBar } from './player-bar';

export function JobPage() {
  const jobId = route.value.jobId ?? '';
  const view = useMemo(() => new JobView(project.value, jobId), [project.value, jobId]);
  useEffect(() => () => view.close(), [view]);
  const { store, player } = view;
  const job = store.job.value;
  return (
    <>
      {store.error.value && (
        <ErrorBox error={store.error.value} onRetry={() => void store.open()}>
          <p>
            <Link to="/jobs">Back to the jobs</Link>
          </p>
        </ErrorBox>
      )}
      {!job && !store.error.value && <Loading />}
      {job && (
        <>
          <JobHeader view={view} job={job} />
          {job.error && <ErrorBox error={new ApiError(0, job.error)} title={failureTitle(job)} />}
          {store.isLive.value && (
            <section class="card" aria-label="Progress">
              <JobProgress job={job} connection={store.connection.value} />
            </section>
          )}
          {job.status === 'completed' && <FailedSteps errors={store.document.value.errors ?? []} />}
          <AnalysesPanel store={store} />
          {player.value && !player.value.failed.value && view.picture.value.duration > 0 && (
            <PlayerBar player={player.value} picture={view.picture.value} />
          )}
          <JobTabs view={view} />
        </>
      )}
    </>
  );
}

function failureTitle({ status, error }: Job): string {
  if (status === 'cancelled') return 'The job was cancelled.';
  return error?.step_key ? `The job failed in the ${stepPhrase(error.step_key)}.` : 'The job failed.';
}
