//! Checks that need much time and memory: two run at once, and the others wait without a thread. Projects take turns, and
//! the answers of steps do not wait behind many requests.

use std::sync::Arc;
use std::time::Duration;

use auris_domain::error::ApiError;
use auris_domain::id::ProjectId;
use auris_engines::low_priority;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::Outcome;
use crate::{ProjectSlots, ServiceError};

/// Maximum checks at once in this process. Each is limited to about a second of computing and some tens of megabytes.
const CHECKS: usize = 2;
/// Maximum checks of answers at once, so that one slot is left for requests.
const ANSWERS: usize = 1;

/// How long a request waits for its turn and its check. Its client waits too, and its memory is reserved.
const REQUEST_WAIT: Duration = Duration::from_secs(30);

/// The checks of this process. Cheap to clone.
#[derive(Clone)]
pub(crate) struct HeavyChecks {
    slots: Arc<Semaphore>,
    /// Only as many requests as there are slots wait for a slot; the others wait for this. So an answer, which waits for a
    /// slot directly, is never behind many requests.
    requests: Arc<Semaphore>,
    /// The same for answers.
    answers: Arc<Semaphore>,
    /// One slot for each project, while one of its requests is checked or waits for it.
    projects: ProjectSlots,
}

impl Default for HeavyChecks {
    fn default() -> Self {
        Self {
            slots: Arc::new(Semaphore::new(CHECKS)),
            requests: Arc::new(Semaphore::new(CHECKS)),
            answers: Arc::new(Semaphore::new(ANSWERS)),
            projects: ProjectSlots::default(),
        }
    }
}

impl HeavyChecks {
    /// Runs a check of a request on a thread with low priority, when its turn has come. A project has at most one running
    /// check, so that many requests of one project do not delay those of others. A caller that leaves before its turn is
    /// forgotten; a check that has begun runs to its end and keeps its slots until then.
    pub(crate) async fn of_request<T: Send + 'static>(
        &self,
        project: &ProjectId,
        check: impl FnOnce() -> T + Send + 'static,
    ) -> Outcome<T> {
        let of_project = self.projects.acquire(project).await.map_err(ServiceError::internal)?;
        let of_requests = acquire(&self.requests).await?;
        let slot = acquire(&self.slots).await?;
        run([of_project, of_requests, slot], check).await
    }

    /// The same with a limit on the time: refuses the request as `too_busy` if the check has not ended by then, which
    /// happens only if others wait. The check is never left out: a busy service must refuse the same requests as an idle
    /// one.
    pub(crate) async fn of_request_in_time<T: Send + 'static>(
        &self,
        project: &ProjectId,
        too_busy: fn() -> ApiError,
        check: impl FnOnce() -> T + Send + 'static,
    ) -> Outcome<T> {
        let checking = self.of_request(project, check);
        match tokio::time::timeout(REQUEST_WAIT, checking).await {
            Ok(checked) => checked,
            Err(_) => Err(too_busy().into()),
        }
    }

    /// Runs a check of a step's answer in the same way. If requests have both slots, it is next.
    pub(crate) async fn of_answer<T: Send + 'static>(
        &self,
        check: impl FnOnce() -> T + Send + 'static,
    ) -> Outcome<T> {
        let of_answers = acquire(&self.answers).await?;
        let slot = acquire(&self.slots).await?;
        run([of_answers, slot], check).await
    }
}

async fn acquire(slots: &Arc<Semaphore>) -> Outcome<OwnedSemaphorePermit> {
    Arc::clone(slots).acquire_owned().await.map_err(ServiceError::internal)
}

async fn run<T: Send + 'static, const SLOTS: usize>(
    slots: [OwnedSemaphorePermit; SLOTS],
    check: impl FnOnce() -> T + Send + 'static,
) -> Outcome<T> {
    let checking = low_priority::spawn(move || {
        let checked = check();
        drop(slots);
        checked
    });
    checking.await.map_err(ServiceError::internal)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use auris_domain::error::ErrorCode;
    use auris_domain::time::Millis;
    use tokio::sync::oneshot;
    use tokio::task::JoinHandle;

    use super::*;

    fn project() -> ProjectId {
        ProjectId::generate(Millis(0))
    }

    fn all_slots_are_free(checks: &HeavyChecks) {
        assert_eq!(checks.slots.available_permits(), CHECKS);
        assert_eq!(checks.requests.available_permits(), CHECKS);
        assert_eq!(checks.answers.available_permits(), ANSWERS);
    }

    /// Counts the checks that run, and remembers the highest count.
    #[derive(Clone, Default)]
    struct Running {
        now: Arc<AtomicUsize>,
        most: Arc<AtomicUsize>,
    }

    impl Running {
        fn check(&self) -> impl FnOnce() + Send + 'static {
            let Self { now, most } = self.clone();
            move || {
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                std::thread::yield_now();
                now.fetch_sub(1, Ordering::SeqCst);
            }
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn at_most_two_requests_and_answers_are_checked_at_once() {
        let checks = HeavyChecks::default();
        let running = Running::default();
        let calls = (0..100).map(|number| {
            let checks = checks.clone();
            let check = running.check();
            tokio::spawn(async move {
                match number % 2 {
                    0 => checks.of_request(&project(), check).await.unwrap(),
                    _ => checks.of_answer(check).await.unwrap(),
                }
            })
        });
        for call in calls.collect::<Vec<_>>() {
            call.await.unwrap();
        }
        assert!((1..=CHECKS).contains(&running.most.load(Ordering::SeqCst)), "{:?}", running.most);
        all_slots_are_free(&checks);
    }

    /// A check that has begun and ends when the sender is dropped.
    async fn begun(checks: &HeavyChecks, project: &ProjectId) -> (JoinHandle<Outcome<()>>, mpsc::Sender<()>) {
        let (end, ended) = mpsc::channel::<()>();
        let (begin, begun) = oneshot::channel();
        let (checks, project) = (checks.clone(), project.clone());
        let check = move || {
            let _ = begin.send(());
            let _ = ended.recv();
        };
        let call = tokio::spawn(async move { checks.of_request(&project, check).await });
        begun.await.unwrap();
        (call, end)
    }

    #[tokio::test]
    async fn checks_of_one_project_do_not_delay_those_of_another() {
        let checks = HeavyChecks::default();
        let (one, other) = (project(), project());
        let (call, end) = begun(&checks, &one).await;
        let mut next = Box::pin(checks.of_request(&one, || ()));
        assert!(futures::poll!(&mut next).is_pending());
        checks.of_request(&other, || ()).await.unwrap();
        assert!(futures::poll!(&mut next).is_pending(), "one check of a project at a time");
        drop(end);
        call.await.unwrap().unwrap();
        next.await.unwrap();
        checks.of_request(&project(), || ()).await.unwrap();
        assert_eq!(checks.projects.count(), 1, "projects without a check are forgotten");
    }

    #[tokio::test]
    async fn an_answer_is_checked_before_the_requests_that_wait() {
        let checks = HeavyChecks::default();
        let running = [begun(&checks, &project()).await, begun(&checks, &project()).await];
        let waiting_project = project();
        let mut request = Box::pin(checks.of_request(&waiting_project, || ()));
        let mut answer = Box::pin(checks.of_answer(|| ()));
        assert!(futures::poll!(&mut request).is_pending());
        assert!(futures::poll!(&mut answer).is_pending(), "two checks run");
        let [(first, end_first), (second, end_second)] = running;
        drop(end_first);
        first.await.unwrap().unwrap();
        answer.await.unwrap();
        drop(end_second);
        second.await.unwrap().unwrap();
        request.await.unwrap();
    }

    #[tokio::test]
    async fn answers_leave_a_slot_for_requests() {
        let checks = HeavyChecks::default();
        let (end, ended) = mpsc::channel::<()>();
        let mut running = Box::pin(checks.of_answer(move || ended.recv().is_err()));
        let mut waiting = Box::pin(checks.of_answer(|| ()));
        assert!(futures::poll!(&mut running).is_pending());
        assert!(futures::poll!(&mut waiting).is_pending());
        checks.of_request(&project(), || ()).await.unwrap();
        assert!(futures::poll!(&mut waiting).is_pending(), "one answer at a time");
        drop(end);
        running.await.unwrap();
        waiting.await.unwrap();
        all_slots_are_free(&checks);
    }

    #[tokio::test]
    async fn a_caller_that_leaves_while_it_waits_is_forgotten() {
        let checks = HeavyChecks::default();
        let (one, other) = (project(), project());
        let running = [begun(&checks, &one).await, begun(&checks, &other).await];
        let ran = Arc::new(AtomicUsize::new(0));
        let count = || {
            let ran = Arc::clone(&ran);
            move || ran.fetch_add(1, Ordering::SeqCst)
        };
        // It waits for its project, or for one of the two slots.
        for project in [&one, &project()] {
            let mut waiting = Box::pin(checks.of_request(project, count()));
            assert!(futures::poll!(&mut waiting).is_pending());
        }
        for (call, end) in running {
            drop(end);
            call.await.unwrap().unwrap();
        }
        checks.of_request(&one, count()).await.unwrap();
        assert_eq!(ran.load(Ordering::SeqCst), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_waits_for_too_long_is_refused_as_too_busy_and_its_check_never_runs() {
        let checks = HeavyChecks::default();
        let project = project();
        let (call, end) = begun(&checks, &project).await;
        let too_busy = || ApiError::new(ErrorCode::EngineOverloaded, "busy").retry_after(5);
        let late = checks.of_request_in_time(&project, too_busy, || panic!("it has no turn")).await;
        let Err::<(), _>(ServiceError::Refused(refused)) = late else { panic!("it had a turn") };
        assert_eq!((refused.code, refused.retry_after), (ErrorCode::EngineOverloaded, Some(5)));
        drop(end);
        call.await.unwrap().unwrap();
        // A paused clock jumps to the end of the wait while the check computes on its thread.
        tokio::time::resume();
        assert_eq!(checks.of_request_in_time(&project, too_busy, || 7).await.unwrap(), 7);
    }

    #[tokio::test]
    async fn a_check_that_panics_frees_its_slots() {
        let checks = HeavyChecks::default();
        let project = project();
        for _ in 0..=CHECKS {
            let failed = checks.of_request(&project, || panic!("as the test wants")).await;
            assert!(matches!(failed, Err::<(), _>(ServiceError::Internal(_))));
            let failed = checks.of_answer(|| panic!("as the test wants")).await;
            assert!(matches!(failed, Err::<(), _>(ServiceError::Internal(_))));
        }
        all_slots_are_free(&checks);
    }
}
