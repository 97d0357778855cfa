//! Checks that need much time and memory: only a few run at once, and the others wait without a thread.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::ServiceError;
use crate::error::Outcome;

/// Maximum checks at once in this process. Each is limited to about a second of computing and some tens of megabytes.
const AT_ONCE: usize = 2;

/// The checks of this process. Cheap to clone.
#[derive(Clone)]
pub(crate) struct HeavyChecks {
    slots: Arc<Semaphore>,
}

impl Default for HeavyChecks {
    fn default() -> Self {
        Self { slots: Arc::new(Semaphore::new(AT_ONCE)) }
    }
}

impl HeavyChecks {
    /// Runs a check on a thread for blocking work, when its turn has come. A caller that leaves before that is forgotten;
    /// a check that has begun runs to its end and keeps its slot until then.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        check: impl FnOnce() -> T + Send + 'static,
    ) -> Outcome<T> {
        let slot = Arc::clone(&self.slots).acquire_owned().await.map_err(ServiceError::internal)?;
        let checking = tokio::task::spawn_blocking(move || {
            let checked = check();
            drop(slot);
            checked
        });
        checking.await.map_err(ServiceError::internal)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use tokio::sync::oneshot;
    use tokio::task::JoinHandle;

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn at_most_two_checks_run_at_once() {
        let checks = HeavyChecks::default();
        let running = Arc::new(AtomicUsize::new(0));
        let most = Arc::new(AtomicUsize::new(0));
        let calls = (0..50).map(|_| {
            let (checks, running, most) = (checks.clone(), Arc::clone(&running), Arc::clone(&most));
            tokio::spawn(async move {
                let check = move || {
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::yield_now();
                    running.fetch_sub(1, Ordering::SeqCst);
                };
                checks.run(check).await.unwrap();
            })
        });
        for call in calls.collect::<Vec<_>>() {
            call.await.unwrap();
        }
        assert!((1..=AT_ONCE).contains(&most.load(Ordering::SeqCst)), "{most:?}");
        assert_eq!(checks.slots.available_permits(), AT_ONCE);
    }

    /// A check that has begun and ends when the sender is dropped.
    async fn begun(checks: &HeavyChecks) -> (JoinHandle<Outcome<()>>, mpsc::Sender<()>) {
        let (end, ended) = mpsc::channel::<()>();
        let (begin, begun) = oneshot::channel();
        let checks = checks.clone();
        let check = move || {
            let _ = begin.send(());
            let _ = ended.recv();
        };
        let call = tokio::spawn(async move { checks.run(check).await });
        begun.await.unwrap();
        (call, end)
    }

    #[tokio::test]
    async fn a_caller_that_leaves_while_it_waits_is_forgotten() {
        let checks = HeavyChecks::default();
        let (first, second) = (begun(&checks).await, begun(&checks).await);
        let ran = Arc::new(AtomicUsize::new(0));
        let count = || {
            let ran = Arc::clone(&ran);
            move || ran.fetch_add(1, Ordering::SeqCst)
        };
        let mut waiting = Box::pin(checks.run(count()));
        assert!(futures::poll!(&mut waiting).is_pending());
        drop(waiting);
        for (call, end) in [first, second] {
            drop(end);
            call.await.unwrap().unwrap();
        }
        checks.run(count()).await.unwrap();
        assert_eq!(ran.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn a_check_that_panics_frees_its_slot() {
        let checks = HeavyChecks::default();
        for _ in 0..=AT_ONCE {
            let failed = checks.run(|| panic!("as the test wants")).await;
            assert!(matches!(failed, Err::<(), _>(ServiceError::Internal(_))));
        }
        assert_eq!(checks.slots.available_permits(), AT_ONCE);
    }
}
