//! Decodes tasks together, on one thread, for a slice of time.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use auris_engine_core::{CallContext, EngineError, Priority, Worker};

use super::lane::TakenTask;
use super::slot::{EncodedWindow, MAX_PROMPT_TOKENS, Slot};
use super::{EXTRA_SLOTS, MAX_SLOTS, MIN_SLOTS, QueueState, RUNNER_BYTES};
use crate::net::{Net, NetInput, StepOutput, StepState};
use crate::task::Window;

/// Holds the tasks of its slots while it waits for its next slice.
pub(super) struct Runner<N: Net> {
    state: Arc<QueueState<N>>,
    priority: Priority,
    slots: Vec<Slot<N>>,
    /// Tasks whose next window is to be encoded. They were decoded before, so they go before new tasks.
    unencoded: VecDeque<(TakenTask, Window)>,
    workspace: N::Workspace,
    output: StepOutput,
    /// Whether the thread may run another item before the slice is over, because that item may bring new tasks. It may do
    /// so once for each slice and for each task that arrives: other items can take much longer than a step.
    may_yield: bool,
}

/// Whether a runner has tasks left at the end of its slice.
enum SliceEnd {
    Unfinished,
    Ended,
}

impl<N: Net> Runner<N> {
    pub(super) fn new(state: Arc<QueueState<N>>, priority: Priority) -> Self {
        let workspace = state.workspaces.lock().pop().unwrap_or_default();
        Self {
            state,
            priority,
            slots: Vec::new(),
            unencoded: VecDeque::new(),
            workspace,
            output: StepOutput::default(),
            may_yield: true,
        }
    }

    /// Waits for a thread.
    pub(super) fn enqueue(self) {
        let scheduler = self.state.scheduler.clone();
        let context = CallContext::shared(self.priority, &self.state.name);
        scheduler.spawn(context, move |worker| self.run(worker));
    }

    fn run(mut self, worker: &Worker) {
        match catch_unwind(AssertUnwindSafe(|| self.work(worker))) {
            Ok(SliceEnd::Ended) => self.state.workspaces.lock().push(self.workspace),
            Ok(SliceEnd::Unfinished) => self.enqueue(),
            Err(_) => {
                self.fail_all();
                self.enqueue();
            }
        }
    }

    fn work(&mut self, worker: &Worker) -> SliceEnd {
        let end = Instant::now() + self.state.slice_of(self.priority);
        loop {
            self.refill(worker, end);
            if self.slots.is_empty() && self.unencoded.is_empty() {
                if self.state.lanes.lock().of(self.priority).ends_runner() {
                    return SliceEnd::Ended;
                }
                continue;
            }
            self.step(worker);
            // Runs synchronous items. The runner itself cannot be cancelled.
            let _ = worker.pause();
            if Instant::now() >= end {
                self.may_yield = true;
                return SliceEnd::Unfinished;
            }
            if self.yields(worker) {
                return SliceEnd::Unfinished;
            }
        }
    }

    /// Drops cancelled tasks and encodes what waits, until the slots are full or the slice is over.
    fn refill(&mut self, worker: &Worker, end: Instant) {
        self.drop_cancelled();
        self.unencoded.retain(|(taken, _)| !taken.is_cancelled());
        while let Some((taken, window)) = self.next_window() {
            self.encode(taken, window, worker);
            if Instant::now() >= end {
                return;
            }
        }
    }

    fn drop_cancelled(&mut self) {
        self.slots.retain(|slot| !slot.is_cancelled());
    }

    fn next_window(&mut self) -> Option<(TakenTask, Window)> {
        loop {
            if let Some((_, window)) = self.unencoded.front() {
                return if self.has_room_for(window) { self.unencoded.pop_front() } else { None };
            }
            let taken = self.take()?;
            self.may_yield = true;
            self.continue_with(taken);
        }
    }

    /// Prepares the next window of a task, or delivers the result if there is none.
    fn continue_with(&mut self, mut taken: TakenTask) {
        match taken.task.window() {
            Some(window) => self.unencoded.push_back((taken, window)),
            None => taken.task.finish(),
        }
    }

    /// The next task that waits, if there is a slot for it.
    fn take(&self) -> Option<TakenTask> {
        let mut lanes = self.state.lanes.lock();
        let lane = lanes.of(self.priority);
        if self.has_free_slot(0) {
            return lane.take(self.slots.len(), self.state.scheduler.threads());
        }
        let is_known = |call: &CallContext| self.slots.iter().any(|slot| slot.is_of(call));
        if self.has_free_slot(EXTRA_SLOTS) { lane.take_newcomer(is_known) } else { None }
    }

    /// Whether the next window of a task that has no slot now can be encoded. It may need more memory than the one before
    /// it. A runner without slots has room for any window, so that every task is decoded at some time.
    fn has_room_for(&self, window: &Window) -> bool {
        let bytes = self.window_bytes(window);
        let fits = self.slots.len() < MIN_SLOTS || self.held_bytes() + bytes <= RUNNER_BYTES;
        self.slots.is_empty() || (fits && self.state.memory.free() >= bytes)
    }

    fn held_bytes(&self) -> u64 {
        self.slots.iter().map(Slot::bytes).sum()
    }

    fn window_bytes(&self, window: &Window) -> u64 {
        self.state.net.memory(window.planned())
    }

    /// Whether there is a slot, with this number of extra ones. A runner without tasks has one even if the memory is used
    /// up, so that every task is decoded at some time.
    fn has_free_slot(&self, extra: usize) -> bool {
        let next = self.state.max_slot_bytes;
        let count: usize = self.slots.iter().map(Slot::max_rows).sum();
        let fits = self.held_bytes() + next <= RUNNER_BYTES.saturating_add(next.saturating_mul(extra as u64));
        let slots = if fits { MAX_SLOTS } else { MIN_SLOTS };
        count == 0 || (count < slots + extra && self.state.memory.free() >= next)
    }

    /// Encodes a window. If that fails or panics, only this task fails.
    fn encode(&mut self, taken: TakenTask, window: Window, worker: &Worker) {
        let memory = self.state.memory.add_work(self.window_bytes(&window));
        let others = RefCell::new(&mut self.slots);
        let pause = || {
            worker.pause()?;
            others.borrow_mut().retain(|slot| !slot.is_cancelled());
            taken.task.context().check()
        };
        let samples = taken.task.samples().get(window.samples).unwrap_or_default();
        let input = NetInput { samples, margin: window.margin };
        let encode = || self.state.net.encode(input, &mut self.workspace, &pause);
        match catch_unwind(AssertUnwindSafe(encode)) {
            Ok(Ok(audio)) => {
                let window = EncodedWindow { audio, max_rows: window.rows, memory };
                self.slots.push(Slot::new(&self.state.net, taken, window));
            }
            Ok(Err(error)) => taken.task.fail(error),
            Err(_) => {
                self.workspace = N::Workspace::default();
                taken.task.fail(panicked());
            }
        }
    }

    /// One step for all rows of all slots. Then the tasks whose windows are done continue with their next ones.
    fn step(&mut self, worker: &Worker) {
        // Some may have been cancelled while others were encoded.
        self.drop_cancelled();
        let mut left = MAX_PROMPT_TOKENS;
        self.slots.iter_mut().for_each(|slot| slot.plan(&mut left));
        if self.feed_rows(worker) == StepState::Done {
            self.advance_rows();
        }
        // A panic in the rules of one task does not concern the others.
        let failed = self.slots.extract_if(.., |slot| slot.has_panicked);
        failed.for_each(|slot| slot.into_task().task.fail(panicked()));
        let done: Vec<_> = self.slots.extract_if(.., |slot| slot.window_is_done).collect();
        done.into_iter().for_each(|slot| self.continue_with(slot.into_task()));
    }

    /// Feeds the rows what was planned. Between the parts of the step, synchronous items run, and cancelled tasks leave it.
    /// The step is unfinished if all rows that were fed are gone.
    fn feed_rows(&mut self, worker: &Worker) -> StepState {
        let mut is_begun = false;
        loop {
            let net = &self.state.net;
            let mut feeds: Vec<_> = self.slots.iter_mut().flat_map(Slot::feeds).collect();
            if feeds.is_empty() {
                return StepState::Unfinished;
            }
            if !std::mem::replace(&mut is_begun, true) {
                net.begin_step(&mut feeds, &mut self.workspace, &mut self.output);
            }
            if net.continue_step(&mut feeds, &mut self.workspace, &mut self.output) == StepState::Done {
                return StepState::Done;
            }
            // The runner itself cannot be cancelled.
            let _ = worker.pause();
            self.leave_step();
        }
    }

    /// Drops the tasks that were cancelled in the middle of a step, with their rows.
    fn leave_step(&mut self) {
        // Looked at once, because a call may be cancelled at any time.
        let cancelled: Vec<bool> = self.slots.iter().map(Slot::is_cancelled).collect();
        if !cancelled.contains(&true) {
            return;
        }
        let rows = self.slots.iter().zip(&cancelled);
        let kept = rows.flat_map(|(slot, cancelled)| std::iter::repeat_n(!cancelled, slot.fed_rows()));
        self.state.net.leave_step(&kept.collect::<Vec<_>>(), &mut self.workspace, &mut self.output);
        let mut cancelled = cancelled.into_iter();
        self.slots.retain(|_| cancelled.next() != Some(true));
    }

    /// Passes the results of a step to the tasks.
    fn advance_rows(&mut self) {
        let net = &self.state.net;
        let mut results = self.output.rows();
        for slot in &mut self.slots {
            let advance = AssertUnwindSafe(|| slot.advance(net, &mut results));
            slot.has_panicked = catch_unwind(advance).is_err();
        }
    }

    /// Whether to let another item run now, because slots are free, no task waits, and the item may bring some.
    fn yields(&mut self, worker: &Worker) -> bool {
        let yields = self.may_yield
            && self.has_free_slot(0)
            && !self.state.lanes.lock().of(self.priority).has_waiting()
            && worker.others_wait();
        self.may_yield &= !yields;
        yields
    }

    /// After a panic, nothing that was in progress can be trusted.
    fn fail_all(&mut self) {
        self.workspace = N::Workspace::default();
        let slots = self.slots.drain(..).map(Slot::into_task);
        let taken = slots.chain(self.unencoded.drain(..).map(|(taken, _)| taken));
        taken.for_each(|taken| taken.task.fail(panicked()));
    }
}

fn panicked() -> EngineError {
    EngineError::internal("the speech model panicked")
}
