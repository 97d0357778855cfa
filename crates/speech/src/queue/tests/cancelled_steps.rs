//! Tasks that are cancelled in the middle of a step.

use super::*;

/// Cancels a call in this part of the first step that all of these tasks share.
fn cancel_in_part(setup: &Setup, call: &CallContext, at: usize, tasks: &'static [u32]) -> Arc<Mutex<Seen>> {
    let seen = Arc::new(Mutex::new(Seen::default()));
    let memory = setup.runtime.loaded.memory().clone();
    let (call, noted) = (call.clone(), seen.clone());
    setup.log.on_part(move |part, labels| {
        if call.is_cancelled() {
            noted.lock().push((part, labels.to_vec(), memory.free()));
        } else if part == at && labels == tasks {
            call.cancel.cancel();
        }
    });
    seen
}

/// The parts of steps after the cancellation: the number of the part, its tasks, and the memory that is free.
type Seen = Vec<(usize, Vec<u32>, u64)>;

#[test]
fn a_cancelled_task_leaves_the_step_and_its_memory_at_the_next_part() {
    let setup = Setup::with_memory(1, 10, 10_000);
    let endless = background("p", "endless");
    let occupied = setup.occupy();
    let cancelled = setup.submit(&endless, &[(1, usize::MAX)]);
    let others = setup.submit(&background("q", "others"), &[(2, 3), (3, 3)]);
    let seen = cancel_in_part(&setup, &endless, 0, &[1, 2, 3]);
    drop(occupied);
    others.into_iter().for_each(|ticket| assert_eq!(ticket.wait().unwrap(), fed(3)));
    cancelled.into_iter().for_each(|ticket| assert!(matches!(ticket.wait(), Err(EngineError::Cancelled))));
    assert_eq!(seen.lock()[..2], [(1, vec![2, 3], 10_000 - 20), (2, vec![2, 3], 10_000 - 20)]);
}

#[test]
fn a_step_ends_when_all_of_its_tasks_are_cancelled() {
    let setup = Setup::with_memory(1, 10, 10_000);
    let endless = background("p", "endless");
    let occupied = setup.occupy();
    let cancelled = setup.submit(&endless, &[(1, usize::MAX), (2, usize::MAX)]);
    let seen = cancel_in_part(&setup, &endless, 1, &[1, 2]);
    drop(occupied);
    cancelled.into_iter().for_each(|ticket| assert!(matches!(ticket.wait(), Err(EngineError::Cancelled))));
    let next = setup.submit(&background("q", "next"), &[(3, 1)]).remove(0);
    assert_eq!(next.wait().unwrap(), fed(1));
    assert!(seen.lock().iter().all(|(_, labels, _)| *labels == [3]), "{:?}", seen.lock());
}

/// The prompt of the first task takes all tokens that a step has for prompts, so that the second one waits.
#[test]
fn a_task_that_waits_to_be_fed_goes_on_when_the_one_before_it_is_cancelled() {
    const PROMPT: usize = 200;
    let setup = Setup::new(1);
    let prompted = background("p", "prompted");
    let others = background("q", "other");
    let occupied = setup.occupy();
    let task = |label| FakeTask::new(label, 3).with_prompt(PROMPT);
    let cancelled = setup.queue.submit(task(1), &setup.admission(&prompted));
    let other = setup.queue.submit(task(2), &setup.admission(&others));
    cancel_in_part(&setup, &prompted, 1, &[1]);
    drop(occupied);
    let expected: Vec<usize> = (PROMPT + 2..PROMPT + 5).collect();
    assert_eq!(other.wait().unwrap(), expected);
    assert!(matches!(cancelled.wait(), Err(EngineError::Cancelled)));
}

#[test]
fn a_synchronous_task_runs_between_two_parts_of_a_background_step() {
    let setup = Setup::new(1);
    let endless = background("p", "endless");
    let (started, running) = channel();
    let (release, held) = channel::<()>();
    let order = Arc::new(Mutex::new(Vec::new()));
    let noted = order.clone();
    setup.log.on_part(move |part, labels| {
        noted.lock().push((part, labels.to_vec()));
        started.send(()).unwrap();
        // Waits until the sender is dropped.
        held.recv().unwrap_err();
    });
    let long = setup.submit(&endless, &[(1, usize::MAX)]).remove(0);
    running.recv().unwrap();
    let short = setup.submit(&CallContext::alone(), &[(2, 1)]).remove(0);
    drop(release);
    assert_eq!(short.wait().unwrap(), fed(1));
    endless.cancel.cancel();
    assert!(matches!(long.wait(), Err(EngineError::Cancelled)));
    assert_eq!(order.lock()[..4], [(0, vec![1]), (0, vec![2]), (1, vec![2]), (2, vec![2])]);
}
