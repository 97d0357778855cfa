//! The tasks of one priority: those that wait, and how many the runners have taken.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use auris_engine_core::{CallContext, FairQueue};

use super::queued_task::QueuedTask;

/// Waiting tasks, fair between projects and then between jobs.
#[derive(Default)]
pub(super) struct Lane {
    waiting: FairQueue<Box<dyn QueuedTask>>,
    taken: Arc<AtomicUsize>,
    /// Runners that run or wait for a thread.
    runners: usize,
}

/// A task that a runner has taken.
pub(super) struct TakenTask {
    pub(super) task: Box<dyn QueuedTask>,
    _count: TakenCount,
}

impl TakenTask {
    pub(super) fn is_cancelled(&self) -> bool {
        self.task.context().is_cancelled()
    }

    pub(super) fn is_of(&self, call: &CallContext) -> bool {
        let own = self.task.context();
        own.job == call.job && own.project == call.project
    }
}

/// Counts a taken task until it is dropped.
struct TakenCount(Arc<AtomicUsize>);

impl Drop for TakenCount {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Lane {
    pub(super) fn push(&mut self, task: Box<dyn QueuedTask>) {
        let project = task.context().project.clone();
        let job = task.context().job.clone();
        self.waiting.push(&project, &job, task);
    }

    pub(super) fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The next task for a runner that has `held` tasks. A runner gets no more than its share of all tasks, so that
    /// every thread has work.
    pub(super) fn take(&mut self, held: usize, threads: usize) -> Option<TakenTask> {
        loop {
            let all = self.waiting.len() + self.taken.load(Ordering::Relaxed);
            if held >= all.div_ceil(threads.max(1)) {
                return None;
            }
            let task = self.waiting.pop()?;
            if let Some(taken) = self.unless_cancelled(task) {
                return Some(taken);
            }
        }
    }

    /// The next task of a call that the runner has no task of.
    pub(super) fn take_newcomer(&mut self, is_known: impl Fn(&CallContext) -> bool) -> Option<TakenTask> {
        loop {
            let task = self.waiting.pop_wanted(|task| !is_known(task.context()))?;
            if let Some(taken) = self.unless_cancelled(task) {
                return Some(taken);
            }
        }
    }

    /// Counts a task as taken. Dropping a cancelled one disconnects its ticket.
    fn unless_cancelled(&self, task: Box<dyn QueuedTask>) -> Option<TakenTask> {
        if task.context().is_cancelled() {
            return None;
        }
        self.taken.fetch_add(1, Ordering::Relaxed);
        Some(TakenTask { task, _count: TakenCount(self.taken.clone()) })
    }

    /// Whether another runner should start for the waiting tasks, one per thread at most. If so, it is counted.
    pub(super) fn starts_runner(&mut self, threads: usize) -> bool {
        let starts = self.has_waiting() && self.runners < threads;
        self.runners += usize::from(starts);
        starts
    }

    /// Whether a runner without tasks may end. If so, it is no longer counted.
    pub(super) fn ends_runner(&mut self) -> bool {
        // A branch, because rustc 1.95 drops `self.runners -= usize::from(ends)` here when it optimizes for a release.
        if self.has_waiting() {
            return false;
        }
        self.runners -= 1;
        true
    }
}
