//! Tasks with a prompt, which are fed many tokens before they choose the first.

use super::*;

/// The longest prompt of Whisper.
const PROMPT: usize = 200;
/// Maximum tokens of prompts in a step.
const MOST: usize = 32;

/// What a task with a prompt and this number of steps sees.
fn fed_after_prompt(steps: usize) -> Vec<usize> {
    (PROMPT + 2..PROMPT + 2 + steps).collect()
}

#[test]
fn a_prompt_is_fed_in_parts_while_other_tasks_go_on() {
    let setup = Setup::new(1);
    let admission = setup.admission(&background("p", "j"));
    let occupied = setup.occupy();
    let prompted: Vec<_> = (1..4)
        .map(|label| setup.queue.submit(FakeTask::new(label, 3).with_prompt(PROMPT), &admission))
        .collect();
    let other = setup.queue.submit(FakeTask::new(9, 5), &admission);
    drop(occupied);
    prompted.into_iter().for_each(|ticket| assert_eq!(ticket.wait().unwrap(), fed_after_prompt(3)));
    assert_eq!(other.wait().unwrap(), fed(5));
    // The other task takes its steps from the first on, whoever else is fed.
    let steps = setup.log.steps();
    assert!(steps[..5].iter().all(|labels| labels.contains(&9)), "{steps:?}");
    // Some tokens of a step belong to the texts.
    let most = setup.log.fed().into_iter().max();
    assert!(most <= Some(MOST + 4 * 4), "{most:?} tokens in a step");
}

#[test]
fn a_restart_feeds_the_prompt_in_parts_again() {
    let setup = Setup::new(1);
    let admission = setup.admission(&background("p", "j"));
    let task = FakeTask::new(1, 2).with_prompt(PROMPT).with_restart();
    let expected = [fed_after_prompt(2), fed_after_prompt(2)].concat();
    assert_eq!(setup.queue.submit(task, &admission).wait().unwrap(), expected);
    assert!(setup.log.fed().into_iter().all(|tokens| tokens <= MOST));
}

#[test]
fn a_prompt_counts_towards_the_memory() {
    let setup = Setup::with_memory(1, 10, 5_000);
    let endless = background("p", "endless");
    let admission = setup.admission(&endless);
    let occupied = setup.occupy();
    let tickets: Vec<_> = (0..4)
        .map(|label| setup.queue.submit(FakeTask::endless(label).with_prompt(PROMPT), &admission))
        .collect();
    drop(occupied);
    // Two windows of 2,010 bytes fit.
    setup.log.wait_for(|event| matches!(event, Event::Stepped(labels) if labels.len() == 2));
    assert_eq!(setup.runtime.loaded.memory().free(), 5_000 - 2 * 2_010);
    endless.cancel.cancel();
    tickets.into_iter().for_each(|ticket| assert!(matches!(ticket.wait(), Err(EngineError::Cancelled))));
}
