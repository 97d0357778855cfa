//! Limits how many connections are open. At the limit, idle connections are closed to admit new ones.

use std::collections::HashMap;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::answer_state::AnswerState;

/// How often idle connections are looked for while a new connection waits.
const RECHECK: Duration = Duration::from_millis(100);
/// One in this many connections is closed at a time, so that a flood of connections does not search all of them for each
/// new one.
const CLOSED_SHARE: usize = 128;

/// Counts the open connections of a server.
pub(super) struct ConnectionLimit {
    maximum: usize,
    slots: Arc<Semaphore>,
    open: Arc<Mutex<OpenConnections>>,
}

/// The connections that the HTTP library serves. Event streams that have left it are counted but never closed.
#[derive(Default)]
struct OpenConnections {
    next: u64,
    by_number: HashMap<u64, OpenConnection>,
}

struct OpenConnection {
    state: AnswerState,
    close: Arc<Notify>,
}

/// A connection that may be closed while it is idle.
pub(super) struct ClosableConnection {
    number: u64,
    state: AnswerState,
    close: Arc<Notify>,
    open: Arc<Mutex<OpenConnections>>,
}

impl ConnectionLimit {
    pub(super) fn new(maximum: usize) -> Self {
        let maximum = maximum.clamp(1, Semaphore::MAX_PERMITS);
        Self { maximum, slots: Arc::new(Semaphore::new(maximum)), open: Arc::default() }
    }

    /// Waits until one more connection may be open. It counts until the permit is dropped.
    pub(super) async fn acquire(&self) -> OwnedSemaphorePermit {
        loop {
            if let Ok(permit) = Arc::clone(&self.slots).try_acquire_owned() {
                return permit;
            }
            self.close_idle();
            let acquiring = Arc::clone(&self.slots).acquire_owned();
            if let Ok(Ok(permit)) = tokio::time::timeout(RECHECK, acquiring).await {
                return permit;
            }
        }
    }

    /// Adds a connection to those that may be closed.
    pub(super) fn register(&self, state: AnswerState) -> ClosableConnection {
        let close = Arc::new(Notify::new());
        let mut open = self.open.lock();
        let number = open.next;
        open.next += 1;
        open.by_number.insert(number, OpenConnection { state: state.clone(), close: Arc::clone(&close) });
        ClosableConnection { number, state, close, open: Arc::clone(&self.open) }
    }

    /// Closes the connections that have been idle longest.
    fn close_idle(&self) {
        let open = self.open.lock();
        let idle_since = |connection: &OpenConnection| connection.state.idle_since();
        let mut idle: Vec<(Instant, u64)> = open
            .by_number
            .iter()
            .filter_map(|(number, connection)| Some((idle_since(connection)?, *number)))
            .collect();
        idle.sort_unstable();
        for (_, number) in idle.into_iter().take(1 + self.maximum / CLOSED_SHARE) {
            if let Some(connection) = open.by_number.get(&number) {
                connection.close.notify_one();
            }
        }
    }
}

impl ClosableConnection {
    /// Runs the connection; `None` if it was closed to admit another one.
    pub(super) async fn run<F: Future>(self, connection: F) -> Option<F::Output> {
        let mut connection = pin!(connection);
        loop {
            tokio::select! {
                // In this order, a request that has just arrived is received before the connection is closed.
                biased;
                output = &mut connection => return Some(output),
                () = self.close.notified() => {
                    if self.state.idle_since().is_some() {
                        return None;
                    }
                }
            }
        }
    }
}

impl Drop for ClosableConnection {
    fn drop(&mut self) {
        self.open.lock().by_number.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::task::JoinHandle;

    use super::*;

    /// Opens a connection that never ends by itself.
    async fn open(limit: &ConnectionLimit, state: AnswerState) -> JoinHandle<Option<()>> {
        let permit = limit.acquire().await;
        let connection = limit.register(state);
        // A later connection is idle for a shorter time.
        tokio::time::advance(Duration::from_secs(1)).await;
        tokio::spawn(async move {
            let ended = connection.run(pending::<()>()).await;
            drop(permit);
            ended
        })
    }

    #[tokio::test(start_paused = true)]
    async fn the_connection_that_was_idle_longest_is_closed_for_a_new_one() {
        let limit = ConnectionLimit::new(3);
        let busy = AnswerState::default();
        let _answer = busy.begin(false);
        let first = open(&limit, busy).await;
        let second = open(&limit, AnswerState::default()).await;
        let third = open(&limit, AnswerState::default()).await;
        let fourth = open(&limit, AnswerState::default()).await;
        assert_eq!(second.await.unwrap(), None);
        assert!(!first.is_finished(), "it has a request");
        assert!(!third.is_finished() && !fourth.is_finished());
    }

    #[tokio::test(start_paused = true)]
    async fn a_new_connection_waits_while_all_others_are_busy() {
        let limit = ConnectionLimit::new(1);
        let state = AnswerState::default();
        let answer = state.begin(false);
        let busy = open(&limit, state.clone()).await;
        let waited = tokio::time::timeout(Duration::from_secs(60), limit.acquire()).await;
        assert!(waited.is_err() && !busy.is_finished());
        drop(answer);
        state.flushed();
        let _permit = limit.acquire().await;
        assert_eq!(busy.await.unwrap(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn an_event_stream_counts_but_is_not_closed() {
        let limit = ConnectionLimit::new(1);
        let permit = limit.acquire().await;
        drop(limit.register(AnswerState::default()));
        let waited = tokio::time::timeout(Duration::from_secs(60), limit.acquire()).await;
        assert!(waited.is_err());
        drop(permit);
        let _permit = limit.acquire().await;
    }
}
