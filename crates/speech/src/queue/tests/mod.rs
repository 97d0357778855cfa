mod cancelled_steps;
mod fake_net;
mod prompts;
mod rows;
mod whisper;

use std::sync::mpsc::{Sender, channel};

use auris_engine_core::{CallContext, EngineError, LoadedModels, UnloadPolicy};

use super::*;
use fake_net::{Event, FakeNet, FakeTask, Log, PANICS_CHOOSING, PANICS_ENCODING, PANICS_STEPPING};

struct Setup {
    queue: SegmentQueue<FakeNet>,
    runtime: Runtime,
    log: Arc<Log>,
}

impl Setup {
    fn new(threads: usize) -> Self {
        Self::with_memory(threads, 1, 1_000_000)
    }

    fn with_memory(threads: usize, slot_bytes: u64, limit: u64) -> Self {
        let runtime = Runtime {
            models_dir: Default::default(),
            loaded: LoadedModels::new(UnloadPolicy { idle: None, bytes: limit }),
            scheduler: Arc::new(Scheduler::new(threads, 64)),
        };
        let log = Arc::new(Log::default());
        let net = FakeNet { log: log.clone(), slot_bytes };
        let queue = SegmentQueue::new(net, "fake", 30.0, &runtime);
        Self { queue, runtime, log }.with_slice(Duration::from_secs(3600))
    }

    fn with_slice(mut self, slice: Duration) -> Self {
        Arc::get_mut(&mut self.queue.state).unwrap().slice = slice;
        self
    }

    fn admission(&self, context: &CallContext) -> Admission {
        self.runtime.scheduler.admit(context).unwrap()
    }

    /// Queues tasks with these labels and numbers of steps for one call.
    fn submit(&self, context: &CallContext, tasks: &[(u32, usize)]) -> Vec<Ticket<Vec<usize>>> {
        let admission = self.admission(context);
        let tasks = tasks.iter().map(|(label, steps)| FakeTask::new(*label, *steps));
        tasks.map(|task| self.queue.submit(task, &admission)).collect()
    }

    /// Occupies all threads until the sender is dropped, so that all tasks wait.
    fn occupy(&self) -> Vec<Sender<()>> {
        let admission = self.admission(&background("occupied", "occupied"));
        let occupy = |_| {
            let (started, running) = channel();
            let (release, held) = channel::<()>();
            admission.submit(move |_| {
                started.send(()).map_err(EngineError::internal)?;
                Ok(held.recv().is_ok())
            });
            running.recv().unwrap();
            release
        };
        (0..self.runtime.scheduler.threads()).map(occupy).collect()
    }
}

fn background(project: &str, job: &str) -> CallContext {
    let alone = CallContext::alone();
    CallContext { priority: Priority::Background, project: project.into(), job: job.into(), ..alone }
}

/// What a task with this number of steps sees: two tokens fed at first, then one in each step.
fn fed(steps: usize) -> Vec<usize> {
    (2..2 + steps).collect()
}

#[test]
fn free_slots_are_refilled_at_once_and_every_task_gets_its_own_scores() {
    let setup = Setup::new(1);
    let occupied = setup.occupy();
    let tasks: Vec<(u32, usize)> = (0..80).map(|label| (label, 1 + label as usize % 7)).collect();
    let tickets = setup.submit(&background("p", "j"), &tasks);
    drop(occupied);
    for (ticket, (_, steps)) in tickets.into_iter().zip(&tasks) {
        assert_eq!(ticket.wait().unwrap(), fed(*steps));
    }
    let steps = setup.log.steps();
    let waiting = |step: usize| {
        let seen: std::collections::HashSet<u32> = steps[..=step].iter().flatten().copied().collect();
        80 - seen.len()
    };
    let not_full = (0..steps.len()).find(|step| waiting(*step) > 0 && steps[*step].len() < MAX_SLOTS);
    assert_eq!(not_full.map(|step| &steps[step]), None);
}

#[test]
fn projects_and_then_jobs_take_turns() {
    let setup = Setup::new(1);
    let occupied = setup.occupy();
    let mut tickets = setup.submit(&background("a", "1"), &[(1, 1), (2, 1), (3, 1), (4, 1)]);
    tickets.extend(setup.submit(&background("b", "1"), &[(11, 1), (12, 1)]));
    tickets.extend(setup.submit(&background("b", "2"), &[(21, 1), (22, 1)]));
    drop(occupied);
    tickets.into_iter().for_each(|ticket| assert_eq!(ticket.wait().unwrap(), fed(1)));
    assert_eq!(setup.log.encoded(), [1, 11, 2, 21, 3, 12, 4, 22]);
}

#[test]
fn a_synchronous_task_overtakes_background_tasks_that_occupy_all_threads() {
    let setup = Setup::new(2);
    let occupied = setup.occupy();
    for label in [1, 2] {
        setup.log.hold_encoding(label);
    }
    let long = background("p", "long");
    let tickets = setup.submit(&long, &[(1, usize::MAX), (2, usize::MAX)]);
    drop(occupied);
    for label in [1, 2] {
        let is_it = |event: &Event| matches!(event, Event::EncodingStarted(it, _) if *it == label);
        setup.log.wait_for(is_it);
    }
    let short = setup.submit(&CallContext::alone(), &[(3, 2)]);
    setup.log.release_encodings();
    short.into_iter().for_each(|ticket| assert_eq!(ticket.wait().unwrap(), fed(2)));
    for label in [1, 2] {
        setup.log.wait_for(|event| *event == Event::Encoded(label));
    }
    let events = setup.log.events();
    let at = |event: Event| events.iter().position(|it| *it == event);
    // One of the two encodings made way for it.
    assert!(at(Event::Stepped(vec![3])) < at(Event::Encoded(1)).max(at(Event::Encoded(2))), "{events:?}");
    long.cancel.cancel();
    tickets.into_iter().for_each(|ticket| assert!(matches!(ticket.wait(), Err(EngineError::Cancelled))));
}

#[test]
fn a_call_without_tasks_in_a_full_runner_gets_an_extra_slot() {
    for priority in [Priority::Synchronous, Priority::Background] {
        let setup = Setup::new(1);
        let call = |job: &str| CallContext { priority, ..background("p", job) };
        let long = call("long");
        let tasks: Vec<(u32, usize)> = (0..2 * MAX_SLOTS as u32).map(|label| (label, usize::MAX)).collect();
        let mut tickets = setup.submit(&long, &tasks);
        setup.log.wait_for(|event| matches!(event, Event::Stepped(labels) if labels.len() == MAX_SLOTS));
        for ticket in setup.submit(&call("short"), &[(100, 2), (101, 2)]) {
            assert_eq!(ticket.wait().unwrap(), fed(2));
        }
        // The extra slots are few.
        let others = ["a", "b", "c", "d"].map(|job| CallContext { cancel: long.cancel.clone(), ..call(job) });
        tickets.extend(others.iter().flat_map(|other| setup.submit(other, &[(102, usize::MAX)])));
        let most = MAX_SLOTS + EXTRA_SLOTS;
        setup.log.wait_for(|event| matches!(event, Event::Stepped(labels) if labels.len() == most));
        long.cancel.cancel();
        tickets.into_iter().for_each(|ticket| assert!(matches!(ticket.wait(), Err(EngineError::Cancelled))));
        assert_eq!(setup.log.steps().iter().map(Vec::len).max(), Some(most));
    }
}

#[test]
fn cancelled_tasks_free_their_slots_and_their_memory() {
    let setup = Setup::with_memory(1, 10, 10_000);
    let endless = background("p", "endless");
    let tasks: Vec<(u32, usize)> = (0..MAX_SLOTS as u32).map(|label| (label, usize::MAX)).collect();
    let tickets = setup.submit(&endless, &tasks);
    setup.log.wait_for(|event| matches!(event, Event::Stepped(labels) if labels.len() == MAX_SLOTS));
    assert_eq!(setup.runtime.loaded.memory().free(), 10_000 - 10 * MAX_SLOTS as u64);
    let next = setup.submit(&background("q", "next"), &[(100, 1)]).remove(0);
    endless.cancel.cancel();
    assert_eq!(next.wait().unwrap(), fed(1));
    tickets.into_iter().for_each(|ticket| assert!(matches!(ticket.wait(), Err(EngineError::Cancelled))));
    let alone = setup.submit(&background("q", "alone"), &[(101, 1)]).remove(0);
    assert_eq!(alone.wait().unwrap(), fed(1));
    assert_eq!(setup.log.steps().last(), Some(&vec![101]));
    assert_eq!(setup.runtime.loaded.memory().free(), 10_000);
}

#[test]
fn a_task_that_is_cancelled_while_it_is_encoded_is_dropped() {
    let setup = Setup::new(1);
    setup.log.hold_encoding(1);
    let cancelled = background("p", "cancelled");
    let ticket = setup.submit(&cancelled, &[(1, 1)]).remove(0);
    setup.log.wait_for(|event| matches!(event, Event::EncodingStarted(1, _)));
    cancelled.cancel.cancel();
    setup.log.release_encodings();
    let next = setup.submit(&background("q", "next"), &[(2, 1)]).remove(0);
    assert_eq!(next.wait().unwrap(), fed(1));
    assert!(matches!(ticket.wait(), Err(EngineError::Cancelled)));
    assert_eq!(setup.log.encoded(), [2]);
}

#[test]
fn a_panic_fails_the_tasks_that_it_concerns_and_no_later_ones() {
    let setup = Setup::new(1);
    let call = background("p", "j");
    for label in [PANICS_ENCODING, PANICS_CHOOSING] {
        let occupied = setup.occupy();
        let mut tickets = setup.submit(&call, &[(1, 9), (label, 1), (2, 9)]);
        drop(occupied);
        let panicked = tickets.remove(1).wait();
        assert!(matches!(panicked, Err(EngineError::Internal(_))), "{panicked:?}");
        tickets.into_iter().for_each(|ticket| assert_eq!(ticket.wait().unwrap(), fed(9)));
    }

    let occupied = setup.occupy();
    let tickets = setup.submit(&call, &[(3, 9), (PANICS_STEPPING, 1)]);
    drop(occupied);
    for ticket in tickets {
        assert!(matches!(ticket.wait(), Err(EngineError::Internal(_))));
    }
    let later = setup.submit(&call, &[(4, 3)]).remove(0);
    assert_eq!(later.wait().unwrap(), fed(3));
}

#[test]
fn other_items_have_their_turns_beside_endless_tasks() {
    let setup = Setup::new(1).with_slice(Duration::from_millis(1));
    for endless in [background("p", "endless"), CallContext::alone()] {
        let admission = setup.admission(&endless);
        let ticket = setup.queue.submit(FakeTask::endless(1), &admission);
        setup.log.wait_for(|event| matches!(event, Event::Stepped(_)));
        for nth in 0..3 {
            assert_eq!(admission.submit(move |_| Ok(nth)).wait().unwrap(), nth);
        }
        endless.cancel.cancel();
        assert!(matches!(ticket.wait(), Err(EngineError::Cancelled)));
    }
}

#[test]
fn tasks_are_spread_over_the_threads() {
    let setup = Setup::new(2);
    let occupied = setup.occupy();
    // No task ends before all are encoded, so that no thread takes more because it was faster.
    setup.log.step_after_encodings(10);
    let tasks: Vec<(u32, usize)> = (0..10).map(|label| (label, 1)).collect();
    let tickets = setup.submit(&background("p", "j"), &tasks);
    drop(occupied);
    tickets.into_iter().for_each(|ticket| assert_eq!(ticket.wait().unwrap(), fed(1)));
    let threads: Vec<_> = setup
        .log
        .events()
        .into_iter()
        .filter_map(|event| if let Event::EncodingStarted(_, thread) = event { Some(thread) } else { None })
        .collect();
    assert_eq!(threads.iter().filter(|thread| **thread == threads[0]).count(), 5);
}

#[test]
fn the_memory_limit_bounds_the_slots_and_a_single_task_always_runs() {
    let tasks: Vec<(u32, usize)> = (0..9).map(|label| (label, 2)).collect();
    for (limit, slots) in [(250, 2), (50, 1)] {
        let setup = Setup::with_memory(1, 100, limit);
        let occupied = setup.occupy();
        let tickets = setup.submit(&background("p", "j"), &tasks);
        drop(occupied);
        tickets.into_iter().for_each(|ticket| assert_eq!(ticket.wait().unwrap(), fed(2)));
        assert_eq!(setup.log.steps().iter().map(Vec::len).max(), Some(slots));
    }
}

#[test]
fn a_larger_second_window_waits_for_memory_unless_it_is_alone() {
    const ROW: u64 = RUNNER_BYTES / MAX_SLOTS as u64;
    for (limit, tasks, expected) in [
        (u64::MAX, 20, vec![20, MIN_SLOTS, MIN_SLOTS, 4]),
        (15 * ROW, 15, vec![15, 3, 3, 3, 3, 3]),
        (4 * ROW, 4, vec![4, 1, 1, 1, 1]),
    ] {
        let setup = Setup::with_memory(1, ROW, limit);
        let admission = setup.admission(&background("p", "j"));
        let occupied = setup.occupy();
        let task = |label| FakeTask::new(label, 1).with_windows(2).with_last_rows(5);
        let tickets: Vec<_> = (0..tasks).map(|label| setup.queue.submit(task(label), &admission)).collect();
        drop(occupied);
        tickets.into_iter().for_each(|ticket| assert_eq!(ticket.wait().unwrap(), [fed(1), fed(1)].concat()));
        assert_eq!(setup.log.steps().iter().map(Vec::len).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn large_slots_are_limited_to_the_smallest_number_and_small_ones_to_the_largest() {
    let large = Setup::with_memory(2, RUNNER_BYTES, u64::MAX);
    assert_eq!(large.queue.capacity(1.0), 2 * MIN_SLOTS);
    let small = Setup::with_memory(2, 1, u64::MAX);
    assert_eq!(small.queue.capacity(1.0), 2 * MAX_SLOTS);
}

#[test]
fn every_window_is_encoded_and_a_restart_decodes_the_same_audio_again() {
    let setup = Setup::new(1);
    let admission = setup.admission(&CallContext::alone());
    let windows = setup.queue.submit(FakeTask::new(5, 2).with_windows(3), &admission);
    assert_eq!(windows.wait().unwrap(), [fed(2), fed(2), fed(2)].concat());
    let restarted = setup.queue.submit(FakeTask::new(6, 3).with_restart(), &admission);
    assert_eq!(restarted.wait().unwrap(), [fed(3), fed(3)].concat());
    assert_eq!(setup.log.encoded(), [5, 5, 5, 6]);
}

#[test]
fn a_task_without_windows_ends_at_once() {
    let setup = Setup::new(1);
    let admission = setup.admission(&CallContext::alone());
    let empty = setup.queue.submit(FakeTask::new(1, 1).with_windows(0), &admission);
    assert_eq!(empty.wait().unwrap(), Vec::<usize>::new());
}
