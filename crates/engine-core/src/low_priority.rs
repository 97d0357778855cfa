//! Threads for work that takes long. In a server, a thread that answers a short request goes first when both want a
//! processor.

use std::io;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// Linux gives a thread with this niceness about a tenth of a processor that an ordinary thread wants too.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// How long a thread stays without work. Short, because the allocator returns what such a thread freed only when the
/// thread ends, and long work frees much.
const IDLE_THREAD: Duration = Duration::from_secs(2);

/// Whether long work yields to other threads.
static IS_SERVER: AtomicBool = AtomicBool::new(false);

/// These threads are not those of the main runtime, which also read the database for short requests: a thread that has
/// given up its priority cannot get it back.
static THREADS: LazyLock<io::Result<Runtime>> = LazyLock::new(|| {
    let mut runtime = Builder::new_current_thread();
    runtime.thread_name("long-work").thread_keep_alive(IDLE_THREAD).on_thread_start(lower_priority);
    let runtime = runtime.build();
    runtime.inspect_err(|error| tracing::warn!(%error, "long work runs with ordinary priority"))
});

/// From now on, long work yields to the threads that answer requests; threads that were started before do not. For
/// servers only: a command has no requests to answer, and would only yield to other programs.
pub fn enable() {
    IS_SERVER.store(true, Ordering::Relaxed);
}

/// Runs blocking work on a thread that has low priority in a server.
pub fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    match &*THREADS {
        Ok(threads) => threads.spawn_blocking(work),
        Err(_) => tokio::task::spawn_blocking(work),
    }
}

/// In a server on Linux, lowers the priority of this thread and of the threads that it starts. On other systems it does
/// nothing, because there the priority of the whole process would change.
pub(crate) fn lower_priority() {
    #[cfg(target_os = "linux")]
    if IS_SERVER.load(Ordering::Relaxed)
        && let Err(error) = rustix::process::nice(NICENESS)
    {
        tracing::debug!(%error, "a thread keeps its ordinary priority");
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// The niceness of the calling thread.
    fn niceness() -> rustix::io::Result<i32> {
        rustix::process::getpriority_process(None)
    }

    #[tokio::test]
    async fn long_work_yields_to_the_threads_of_the_runtime() {
        enable();
        let before = niceness().unwrap();
        let of_work = spawn(niceness).await.unwrap();
        assert_eq!(of_work, Ok((before + NICENESS).min(19)));
        assert_eq!(niceness(), Ok(before), "the caller keeps its priority");
        assert_eq!(tokio::task::spawn_blocking(niceness).await.unwrap(), Ok(before));
    }

    #[tokio::test]
    async fn work_that_panics_is_reported_to_its_caller() {
        assert!(spawn(|| panic!("as the test wants")).await.unwrap_err().is_panic());
        spawn(|| ()).await.unwrap();
    }
}
