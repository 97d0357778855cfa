//! The segments of all callers of one model, decoded together.
//!
//! A runner is an item of the scheduler that holds a number of tasks in slots: it encodes them one by one, takes one step
//! for all of them together, delivers what is finished and refills the free slots. There is at most one runner per
//! thread and priority. A runner of background tasks lets those of synchronous calls pass between two parts of its work.

mod lane;
mod queued_task;
mod runner;
mod slot;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use auris_engine_core::{Admission, MemoryBudget, Priority, Runtime, Scheduler, Ticket};
use parking_lot::Mutex;

use crate::net::{Net, PlannedWindow};
use crate::task::SegmentTask;
use lane::Lane;
use queued_task::PendingTask;
use runner::Runner;

/// Maximum slots of a runner. A window that is decoded in several rows counts as that many. More rows in a step make it
/// hardly faster per row.
const MAX_SLOTS: usize = 32;
/// Slots that a runner may fill whatever they occupy, within the memory limit of all models.
const MIN_SLOTS: usize = 8;
/// Slots beyond those for tasks of calls that have none in the runner: a short clip does not wait until a segment of a
/// long recording is done. Few, because each makes the others slower.
const EXTRA_SLOTS: usize = 2;
/// Further slots are filled up to this number of bytes, so that models with much memory per segment, which gain little
/// from more sequences, do not occupy gigabytes.
const RUNNER_BYTES: u64 = 96 << 20;
/// How long a runner of background tasks keeps its thread, so that other items and models have their turns.
const SLICE: Duration = Duration::from_millis(100);
/// A runner of synchronous calls keeps it for this part of a slice: the items that wait for it are short, and a client
/// waits for each of them.
const SYNCHRONOUS_PART: u32 = 5;

/// A net and the tasks that wait for it.
pub(crate) struct SegmentQueue<N: Net> {
    state: Arc<QueueState<N>>,
}

/// Shared by the queue and its runners.
struct QueueState<N: Net> {
    net: N,
    /// The name of the model, for the scheduler.
    name: String,
    scheduler: Arc<Scheduler>,
    memory: Arc<MemoryBudget>,
    /// The memory of the longest window, decoded in one row without a context. What a window really needs is checked before
    /// it is encoded.
    max_slot_bytes: u64,
    slice: Duration,
    lanes: Mutex<Lanes>,
    /// Workspaces that no runner uses.
    workspaces: Mutex<Vec<N::Workspace>>,
}

impl<N: Net> QueueState<N> {
    fn slice_of(&self, priority: Priority) -> Duration {
        match priority {
            Priority::Synchronous => self.slice / SYNCHRONOUS_PART,
            Priority::Background => self.slice,
        }
    }
}

#[derive(Default)]
struct Lanes {
    synchronous: Lane,
    background: Lane,
}

impl Lanes {
    fn of(&mut self, priority: Priority) -> &mut Lane {
        match priority {
            Priority::Synchronous => &mut self.synchronous,
            Priority::Background => &mut self.background,
        }
    }
}

impl<N: Net> SegmentQueue<N> {
    /// A queue for tasks whose longest window has this number of seconds.
    pub(crate) fn new(net: N, name: &str, longest: f64, runtime: &Runtime) -> Self {
        let state = QueueState {
            max_slot_bytes: net.memory(PlannedWindow::of_seconds(longest)),
            net,
            name: name.to_owned(),
            scheduler: runtime.scheduler.clone(),
            memory: runtime.loaded.memory().clone(),
            slice: SLICE,
            lanes: Mutex::default(),
            workspaces: Mutex::default(),
        };
        Self { state: Arc::new(state) }
    }

    /// Queues a task of an admitted call.
    pub(crate) fn submit<T: SegmentTask>(&self, task: T, admission: &Admission) -> Ticket<T::Output> {
        let (reply, ticket) = admission.ticket();
        let context = admission.context().clone();
        let priority = context.priority;
        let starts_runner = {
            let mut lanes = self.state.lanes.lock();
            let lane = lanes.of(priority);
            lane.push(Box::new(PendingTask { task: Box::new(task), reply, context }));
            lane.starts_runner(self.state.scheduler.threads())
        };
        if starts_runner {
            Runner::new(self.state.clone(), priority).enqueue();
        }
        ticket
    }

    /// The number of tasks of this length that fill all slots.
    pub(crate) fn capacity(&self, seconds: f64) -> usize {
        let fit = RUNNER_BYTES / self.state.net.memory(PlannedWindow::of_seconds(seconds)).max(1);
        let slots = usize::try_from(fit).unwrap_or(MAX_SLOTS).clamp(MIN_SLOTS, MAX_SLOTS);
        slots * self.state.scheduler.threads()
    }
}
