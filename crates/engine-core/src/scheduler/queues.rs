//! The state of the thread pool: what waits, and what runs.

use parking_lot::{Condvar, Mutex};

use super::fair_queue::FairQueue;
use crate::{CallContext, Priority};

/// How many threads an item needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    OneThread,
    AllThreads,
}

/// Queued work of the type `W`.
pub(super) struct Item<W> {
    pub(super) context: CallContext,
    pub(super) work: W,
    pub(super) width: Width,
}

/// Shared by the scheduler, its callers and its workers.
pub(super) struct Shared<W> {
    pub(super) queues: Mutex<Queues<W>>,
    /// Notified when an item is queued or an exclusive item may start or has ended.
    pub(super) changed: Condvar,
    pub(super) max_synchronous_calls: usize,
}

impl<W> Shared<W> {
    pub(super) fn new(queues: Queues<W>, max_synchronous_calls: usize) -> Self {
        Self { queues: Mutex::new(queues), changed: Condvar::new(), max_synchronous_calls }
    }

    /// Queues an item and wakes all threads: one of them may wait for an exclusive item and cannot take this one.
    pub(super) fn push(&self, item: Item<W>) {
        self.queues.lock().push(item);
        self.changed.notify_all();
    }
}

/// The queues, and what is running.
pub(super) struct Queues<W> {
    synchronous: FairQueue<Item<W>>,
    background: FairQueue<Item<W>>,
    exclusive: FairQueue<Item<W>>,
    /// Background items that run before the next exclusive item, so that both make progress.
    background_first: usize,
    threads: usize,
    /// One-thread items that are running.
    pub(super) running: usize,
    /// An exclusive item runs, or waits for the running items to end.
    pub(super) exclusive_started: bool,
    /// Synchronous calls that were admitted and have not ended.
    pub(super) synchronous_calls: usize,
    pub(super) stopped: bool,
}

impl<W> Queues<W> {
    pub(super) fn new(threads: usize) -> Self {
        Self {
            synchronous: FairQueue::default(),
            background: FairQueue::default(),
            exclusive: FairQueue::default(),
            background_first: 0,
            threads,
            running: 0,
            exclusive_started: false,
            synchronous_calls: 0,
            stopped: false,
        }
    }

    pub(super) fn push(&mut self, item: Item<W>) {
        let queue = match (item.width, item.context.priority) {
            (Width::AllThreads, Priority::Synchronous | Priority::Background) => &mut self.exclusive,
            (Width::OneThread, Priority::Synchronous) => &mut self.synchronous,
            (Width::OneThread, Priority::Background) => &mut self.background,
        };
        let project = item.context.project.clone();
        let job = item.context.job.clone();
        queue.push(&project, &job, item);
    }

    pub(super) fn pop_synchronous(&mut self) -> Option<Item<W>> {
        self.synchronous.pop()
    }

    /// Whether one-thread items of this priority wait.
    pub(super) fn has_waiting(&self, priority: Priority) -> bool {
        match priority {
            Priority::Synchronous => !self.synchronous.is_empty(),
            Priority::Background => !self.background.is_empty(),
        }
    }

    /// The next item: a synchronous one if there is one, else exclusive and background items in turns.
    pub(super) fn pop(&mut self) -> Option<Item<W>> {
        if let Some(item) = self.synchronous.pop() {
            return Some(item);
        }
        if self.background_first > 0
            && let Some(item) = self.background.pop()
        {
            self.background_first -= 1;
            return Some(item);
        }
        if let Some(item) = self.exclusive.pop() {
            // One item per thread, so that no thread is idle while the next exclusive item waits for the last of them.
            self.background_first = self.threads;
            return Some(item);
        }
        self.background.pop()
    }
}
