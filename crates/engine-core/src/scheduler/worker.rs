//! A thread of the pool.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::MutexGuard;

use super::queues::{Item, Queues, Shared, Width};
use crate::{CallContext, EngineError, Priority};

/// How long a background item waits for the next item of a synchronous call after it let one pass. The call submits it
/// as soon as it has the result of the one before; if the background item went on in between, it would delay the call
/// for much longer.
const FOLLOW_UP: Duration = Duration::from_micros(300);

/// Work for a thread of the pool.
pub(super) type Work = Box<dyn FnOnce(&Worker) + Send>;

/// One thread of the pool, as seen by the work that runs on it.
pub struct Worker {
    shared: Arc<Shared<Work>>,
    /// The call whose work runs here.
    running: Option<CallContext>,
}

impl Worker {
    pub(super) fn new(shared: Arc<Shared<Work>>) -> Self {
        Self { shared, running: None }
    }

    /// Called by long work between two parts. Returns `Cancelled` if the call was cancelled, and runs waiting
    /// synchronous items before the rest of a background item.
    pub fn pause(&self) -> Result<(), EngineError> {
        let Some(context) = &self.running else { return Ok(()) };
        context.check()?;
        if context.priority == Priority::Background {
            let mut waiting = self.next_synchronous();
            while let Some(item) = waiting {
                self.run(item);
                waiting = self.follow_up();
            }
        }
        Ok(())
    }

    /// Whether other one-thread items of the same priority wait for a thread.
    pub fn others_wait(&self) -> bool {
        let queues = self.shared.queues.lock();
        self.running.as_ref().is_some_and(|context| queues.has_waiting(context.priority))
    }

    /// A separate function, so that the lock is released before the item runs.
    fn next_synchronous(&self) -> Option<Item<Work>> {
        self.shared.queues.lock().pop_synchronous()
    }

    /// The next synchronous item, if it comes soon.
    fn follow_up(&self) -> Option<Item<Work>> {
        let mut queues = self.shared.queues.lock();
        let end = Instant::now() + FOLLOW_UP;
        loop {
            let item = queues.pop_synchronous();
            if item.is_some() || queues.synchronous_calls == 0 {
                return item;
            }
            if self.shared.changed.wait_until(&mut queues, end).timed_out() {
                return queues.pop_synchronous();
            }
        }
    }

    /// Runs items until the scheduler is dropped.
    pub(super) fn work(&self) {
        while let Some(item) = self.next() {
            let width = item.width;
            self.run(item);
            self.finish(width);
        }
    }

    fn run(&self, item: Item<Work>) {
        // Dropping cancelled work disconnects its ticket.
        if !item.context.is_cancelled() {
            let worker = Self { shared: self.shared.clone(), running: Some(item.context) };
            (item.work)(&worker);
        }
    }

    fn finish(&self, width: Width) {
        let mut queues = self.shared.queues.lock();
        match width {
            Width::OneThread => queues.running -= 1,
            Width::AllThreads => queues.exclusive_started = false,
        }
        let others_wait = width == Width::AllThreads || queues.exclusive_started;
        drop(queues);
        if others_wait {
            self.shared.changed.notify_all();
        }
    }

    /// Waits for the next item. Before an exclusive item is returned, all other items have ended.
    fn next(&self) -> Option<Item<Work>> {
        let mut queues = self.shared.queues.lock();
        loop {
            if queues.stopped {
                return None;
            }
            if !queues.exclusive_started
                && let Some(item) = queues.pop()
            {
                match item.width {
                    Width::OneThread => queues.running += 1,
                    Width::AllThreads => self.wait_for_others(queues),
                }
                return Some(item);
            }
            self.shared.changed.wait(&mut queues);
        }
    }

    fn wait_for_others(&self, mut queues: MutexGuard<'_, Queues<Work>>) {
        queues.exclusive_started = true;
        while queues.running > 0 && !queues.stopped {
            self.shared.changed.wait(&mut queues);
        }
    }
}
