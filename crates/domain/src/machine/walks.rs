//! Random walks: thousands of jobs with random steps get random commands, and the invariants are checked after each.

mod invariants;
mod world;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::event::EventType;
use crate::id::JobId;
use crate::time::Millis;
use invariants::Witness;
use world::{any_command, driving_command, random_run};

const WALKS: u64 = 4_000;
const RANDOM_COMMANDS: u32 = 40;
/// Maximum commands that drive a job to its end. Jobs of this size need fewer.
const DRIVING_COMMANDS: u32 = 200;

/// Sends random commands, then drives the job to its end, and checks the invariants after each command.
fn walk(seed: u64) -> Witness {
    let mut random = StdRng::seed_from_u64(seed);
    let mut run = random_run(&mut random);
    let mut witness = Witness::new(seed);
    let mut now = run.job.created_at;
    witness.send(&mut run, Command::Create, now);
    for _ in 0..random.random_range(0..RANDOM_COMMANDS) {
        now = now.plus_seconds(random.random_range(0..3));
        let command = any_command(&run, &mut random);
        witness.send(&mut run, command, now);
    }
    for _ in 0..DRIVING_COMMANDS {
        let Some(command) = driving_command(&run, &mut random) else {
            break;
        };
        now = now.plus_seconds(1);
        witness.send(&mut run, command, now);
    }
    witness.check_end(&run);
    witness
}

#[test]
fn every_walk_keeps_the_invariants_and_ends() {
    let ends: Vec<JobStatus> = (0..WALKS).map(|seed| walk(seed).end).collect();
    // Walks that miss an end would not test it.
    for status in [JobStatus::Completed, JobStatus::Failed, JobStatus::Cancelled] {
        let count = ends.iter().filter(|end| **end == status).count();
        assert!(count > WALKS as usize / 20, "{status:?}: {count}");
    }
}

#[test]
fn the_walks_reach_every_kind_of_event_and_refusal() {
    let mut seen = std::collections::HashSet::new();
    let mut refused = std::collections::HashSet::new();
    for seed in 0..WALKS / 4 {
        let witness = walk(seed);
        seen.extend(witness.events);
        refused.extend(witness.refused.iter().map(|refusal| format!("{refusal:?}")));
    }
    for status in StepStatus::ALL {
        assert!(EventType::of_step(*status).is_none_or(|event| seen.contains(&event)), "{status:?}");
    }
    for status in JobStatus::ALL {
        assert!(seen.contains(&EventType::of_job(*status)), "{status:?}");
    }
    assert_eq!(refused.len(), 3, "{refused:?}");
}

/// A run of steps with the given needs.
fn run_of(needs: &[&[i64]], policy: FailurePolicy) -> Run {
    let planned = needs.iter().enumerate().map(|(index, needs)| world::planned(index, needs.to_vec(), "1"));
    let id = JobId::generate(Millis(0));
    world::run(planned.collect(), &id, policy, None)
}

fn send(run: &mut Run, command: Command) -> Result<Vec<Change>, Refused> {
    run.apply(command, Timestamp(7))
}

/// A hold of the first step in this attempt.
fn hold(attempt: i64) -> StepHold {
    StepHold::from_stored(0, attempt)
}

fn start(run: &mut Run, ordinal: i64) {
    send(run, Command::Start { ordinal }).unwrap();
}

fn complete(run: &mut Run, ordinal: i64, attempt: i64) -> Result<Vec<Change>, Refused> {
    send(
        run,
        Command::Complete {
            hold: StepHold::from_stored(ordinal, attempt),
            resolved_model: None,
            usage: Usage::NONE,
        },
    )
}

fn fail(run: &mut Run, ordinal: i64) {
    let cause = Cause::new(StepCode::BackendError, "The model failed.");
    send(run, Command::Fail { hold: StepHold::from_stored(ordinal, 1), cause, usage: None }).unwrap();
}

/// The first step loses its worker in this attempt.
fn lose(run: &mut Run, attempt: i64, loss: Loss) {
    send(run, Command::Lose { hold: hold(attempt), loss }).unwrap();
}

fn statuses(run: &Run) -> Vec<StepStatus> {
    run.steps.iter().map(|step| step.status()).collect()
}

#[test]
fn a_late_finish_of_a_lost_lease_is_refused() {
    let mut run = run_of(&[&[]], FailurePolicy::FailFast);
    start(&mut run, 0);
    lose(&mut run, 1, Loss::Alone);
    assert_eq!(complete(&mut run, 0, 1), Err(Refused::WrongState));
    start(&mut run, 0);
    assert_eq!(complete(&mut run, 0, 1), Err(Refused::StaleAttempt));
    assert!(complete(&mut run, 0, 2).is_ok());
    assert_eq!(run.job.status(), JobStatus::Completed);
}

#[test]
fn a_step_that_loses_three_workers_alone_fails() {
    let mut run = run_of(&[&[]], FailurePolicy::FailFast);
    for attempt in 1..=3 {
        start(&mut run, 0);
        lose(&mut run, attempt, Loss::Alone);
        assert!(run.steps[0].runs_alone());
    }
    assert_eq!(run.job.status(), JobStatus::Failed);
    let error = run.job.error().unwrap();
    assert_eq!((error.code.as_str(), error.attempts), ("worker_lost", 3));
}

#[test]
fn a_worker_that_is_lost_with_several_steps_counts_against_none_and_each_is_then_run_alone() {
    let mut run = run_of(&[&[]], FailurePolicy::FailFast);
    assert!(!run.steps[0].runs_alone());
    start(&mut run, 0);
    lose(&mut run, 1, Loss::Shared);
    assert_eq!((run.steps[0].losses(), run.steps[0].runs_alone()), (0, true));
    for attempt in 2..=4 {
        assert_eq!(statuses(&run), [StepStatus::Queued]);
        start(&mut run, 0);
        lose(&mut run, attempt, Loss::Alone);
    }
    let error = run.job.error().unwrap();
    assert_eq!((error.code.as_str(), error.attempts), ("worker_lost", 4));
}

#[test]
fn a_step_that_is_run_beside_others_although_it_must_be_alone_is_not_run_for_ever() {
    let mut run = run_of(&[&[]], FailurePolicy::FailFast);
    for attempt in 1..=4 {
        start(&mut run, 0);
        lose(&mut run, attempt, Loss::Shared);
    }
    assert_eq!(run.job.error().unwrap().code, "worker_lost");
}

#[test]
fn storage_that_cannot_be_reached_counts_but_does_not_make_a_step_run_alone() {
    let mut run = run_of(&[&[]], FailurePolicy::FailFast);
    start(&mut run, 0);
    lose(&mut run, 1, Loss::Unreachable);
    assert_eq!((run.steps[0].losses(), run.steps[0].runs_alone()), (1, false));
}

#[test]
fn a_failed_or_cancelled_job_keeps_the_percentage_that_it_had_reached() {
    for cancels in [false, true] {
        let mut run = run_of(&[&[], &[], &[1], &[2]], FailurePolicy::FailFast);
        start(&mut run, 0);
        complete(&mut run, 0, 1).unwrap();
        assert_eq!(run.job.progress.percent, 25);
        start(&mut run, 1);
        if cancels {
            send(&mut run, Command::Cancel).unwrap();
            send(&mut run, Command::Stop { hold: StepHold::from_stored(1, 1) }).unwrap();
        } else {
            fail(&mut run, 1);
        }
        assert!(run.job.status().is_terminal());
        assert_eq!(run.job.progress.percent, 25, "{:?}", run.job.status());
    }
}

#[test]
fn a_job_of_which_nothing_ran_stays_at_zero_percent() {
    let mut run = run_of(&[&[], &[], &[0]], FailurePolicy::ContinueIndependent);
    run.job.max_cost_usd = Some("0.5".parse().unwrap());
    for ordinal in [0, 1] {
        send(&mut run, Command::Start { ordinal }).unwrap();
        assert_eq!(run.job.progress.percent, 0);
    }
    assert_eq!(statuses(&run), [StepStatus::Skipped; 3]);
    assert_eq!(run.job.status(), JobStatus::Failed);
}

#[test]
fn a_step_that_is_handed_back_does_not_count_as_lost() {
    let mut run = run_of(&[&[]], FailurePolicy::FailFast);
    for attempt in 1..=9 {
        start(&mut run, 0);
        send(&mut run, Command::HandBack { hold: hold(attempt) }).unwrap();
    }
    assert_eq!(statuses(&run), [StepStatus::Queued]);
    assert_eq!(run.steps[0].losses(), 0);
}

#[test]
fn fail_fast_cancels_queued_and_running_steps_and_skips_blocked_ones() {
    let mut run = run_of(&[&[], &[], &[], &[0]], FailurePolicy::FailFast);
    start(&mut run, 0);
    start(&mut run, 1);
    fail(&mut run, 0);
    let expected = [StepStatus::Failed, StepStatus::Cancelled, StepStatus::Cancelled, StepStatus::Skipped];
    assert_eq!(statuses(&run), expected);
    assert_eq!(run.steps[3].error().unwrap().code, "fail_fast");
    assert_eq!(run.job.status(), JobStatus::Failed);
}

#[test]
fn continue_independent_skips_only_what_depends_on_the_failed_step() {
    let mut run = run_of(&[&[], &[], &[0], &[2]], FailurePolicy::ContinueIndependent);
    start(&mut run, 0);
    fail(&mut run, 0);
    let expected = [StepStatus::Failed, StepStatus::Queued, StepStatus::Skipped, StepStatus::Skipped];
    assert_eq!(statuses(&run), expected);
    start(&mut run, 1);
    complete(&mut run, 1, 1).unwrap();
    assert_eq!(run.job.status(), JobStatus::Completed);
    assert_eq!((run.job.error(), run.job.progress.percent), (None, 100));
}

#[test]
fn a_worker_cannot_stop_a_step_of_a_job_that_is_not_being_cancelled() {
    let mut run = run_of(&[&[]], FailurePolicy::FailFast);
    start(&mut run, 0);
    assert_eq!(send(&mut run, Command::Stop { hold: hold(1) }), Err(Refused::WrongState));
    send(&mut run, Command::Cancel).unwrap();
    assert_eq!(run.job.status(), JobStatus::Cancelling);
    send(&mut run, Command::Stop { hold: hold(1) }).unwrap();
    assert_eq!(run.job.status(), JobStatus::Cancelled);
}

#[test]
fn a_cancel_does_not_change_an_ended_job() {
    let mut run = run_of(&[&[]], FailurePolicy::FailFast);
    send(&mut run, Command::Cancel).unwrap();
    assert_eq!(run.job.status(), JobStatus::Cancelled);
    assert_eq!(send(&mut run, Command::Cancel), Ok(vec![]));
}

#[test]
fn a_transition_that_the_table_forbids_is_refused_and_changes_nothing() {
    let mut run = run_of(&[&[]], FailurePolicy::FailFast);
    let before = run.clone();
    let mut log = ChangeLog::new(Timestamp(1));
    let completed = StepState::Completed { at: log.now, usage: Usage::NONE };
    assert_eq!(run.move_step(0, completed, &mut log), Err(Refused::ForbiddenTransition));
    assert_eq!(run.move_job(JobState::Cancelling, &mut log), Err(Refused::ForbiddenTransition));
    assert_eq!((run.job, run.steps, log.changes), (before.job, before.steps, vec![]));
}
