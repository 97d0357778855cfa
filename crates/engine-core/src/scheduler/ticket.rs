//! The pending result of submitted work.

use std::mem;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::{CallContext, EngineError};

/// How often a waiting caller checks whether it was cancelled.
const CHECK_EVERY: Duration = Duration::from_millis(20);

/// Where work sends its result. If it is dropped, the caller gets an error.
pub struct Reply<T> {
    slot: Arc<Slot<T>>,
}

impl<T> Reply<T> {
    /// Sends the result. If the caller is gone, nobody needs it.
    pub fn send(self, result: Result<T, EngineError>) {
        self.slot.set(Received::Result(result));
    }
}

impl<T> Drop for Reply<T> {
    fn drop(&mut self) {
        self.slot.set(Received::Lost);
    }
}

/// Holds one result until it is received. A channel of the standard library would do the same, but its code is compiled
/// again for each type of result: channels were a tenth of the code of `auris-text`.
struct Slot<T> {
    received: Mutex<Received<T>>,
    is_set: Condvar,
}

impl<T> Slot<T> {
    /// Only the first value counts.
    fn set(&self, value: Received<T>) {
        let mut received = self.received.lock();
        if matches!(*received, Received::NothingYet) {
            *received = value;
            self.is_set.notify_one();
        }
    }
}

/// The pending result of submitted work.
pub struct Ticket<T> {
    source: Box<dyn Source<T> + Send>,
    context: CallContext,
}

/// Where a result comes from.
trait Source<T> {
    /// Waits for the result for at most `wait`. `None` returns at once.
    fn receive(&mut self, wait: Option<Duration>) -> Received<T>;
}

enum Received<T> {
    Result(Result<T, EngineError>),
    NothingYet,
    /// There will never be a result.
    Lost,
}

impl<T: 'static> Ticket<T> {
    /// A ticket of the call `context`, and where its result is sent.
    pub(super) fn new(context: CallContext) -> (Reply<T>, Self)
    where
        T: Send,
    {
        let slot = Arc::new(Slot { received: Mutex::new(Received::NothingYet), is_set: Condvar::new() });
        (Reply { slot: Arc::clone(&slot) }, Self { source: Box::new(slot), context })
    }

    /// The same ticket, for a result that is changed when it is received.
    pub fn map<U: 'static>(self, change: impl FnOnce(T) -> U + Send + 'static) -> Ticket<U> {
        Ticket {
            source: Box::new(Changed { source: self.source, change: Some(change) }),
            context: self.context,
        }
    }

    /// The result if it is there, or `Cancelled` if nobody needs it; otherwise the ticket, to wait for it later.
    pub fn try_wait(self) -> Result<Result<T, EngineError>, Self> {
        self.wait_for(None)
    }

    /// The same, but waits a moment.
    pub fn wait_briefly(self) -> Result<Result<T, EngineError>, Self> {
        self.wait_for(Some(CHECK_EVERY))
    }

    /// Waits for the result, or until the call is cancelled.
    pub fn wait(mut self) -> Result<T, EngineError> {
        loop {
            match self.wait_briefly() {
                Ok(result) => return result,
                Err(unfinished) => self = unfinished,
            }
        }
    }

    fn wait_for(mut self, wait: Option<Duration>) -> Result<Result<T, EngineError>, Self> {
        if let Err(cancelled) = self.context.check() {
            return Ok(Err(cancelled));
        }
        match self.source.receive(wait) {
            Received::Result(result) => Ok(result),
            Received::NothingYet => Err(self),
            Received::Lost => {
                let stopped = || EngineError::internal("the engine threads have stopped");
                Ok(Err(self.context.check().err().unwrap_or_else(stopped)))
            }
        }
    }
}

impl<T> Source<T> for Arc<Slot<T>> {
    fn receive(&mut self, wait: Option<Duration>) -> Received<T> {
        let mut received = self.received.lock();
        if let (Received::NothingYet, Some(wait)) = (&*received, wait) {
            self.is_set.wait_for(&mut received, wait);
        }
        match *received {
            Received::NothingYet => Received::NothingYet,
            Received::Result(_) | Received::Lost => mem::replace(&mut received, Received::Lost),
        }
    }
}

/// A result of another source, changed.
struct Changed<T, F> {
    source: Box<dyn Source<T> + Send>,
    /// Taken when the result is there.
    change: Option<F>,
}

impl<T, U, F: FnOnce(T) -> U> Source<U> for Changed<T, F> {
    fn receive(&mut self, wait: Option<Duration>) -> Received<U> {
        match (self.source.receive(wait), self.change.take()) {
            (Received::Result(result), Some(change)) => Received::Result(result.map(change)),
            (Received::NothingYet, change) => {
                self.change = change;
                Received::NothingYet
            }
            (Received::Result(_), None) | (Received::Lost, _) => Received::Lost,
        }
    }
}
