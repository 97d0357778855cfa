//! What must be true after every command in every state.

use std::collections::HashMap;

use super::super::{Change, Command, Refused, Run};
use crate::event::EventType;
use crate::job::{FailurePolicy, JobStatus};
use crate::limits;
use crate::money::Usd;
use crate::step::{Step, StepStatus};
use crate::time::Timestamp;
use crate::usage::Usage;

/// Checks each command of one walk and records its events and refusals.
pub(super) struct Witness {
    seed: u64,
    cancelled: bool,
    /// How often each step has lost its worker.
    lost: HashMap<i64, i64>,
    pub(super) end: JobStatus,
    pub(super) events: Vec<EventType>,
    pub(super) refused: Vec<Refused>,
}

impl Witness {
    pub(super) fn new(seed: u64) -> Self {
        let (lost, end) = (HashMap::new(), JobStatus::Queued);
        Self { seed, cancelled: false, lost, end, events: vec![], refused: vec![] }
    }

    /// Applies a command and checks the run after it against the run before it.
    pub(super) fn send(&mut self, run: &mut Run, command: Command, now: Timestamp) {
        let before = run.clone();
        let creates = matches!(command, Command::Create);
        self.cancelled |= matches!(command, Command::Cancel) && !before.job.status().is_terminal();
        let context = format!("seed {}, {command:?}", self.seed);
        let sent = command.clone();
        match run.apply(command, now) {
            Err(refusal) => {
                assert_eq!((&before.job, &before.steps), (&run.job, &run.steps), "{context}");
                self.refused.push(refusal);
            }
            Ok(changes) => {
                if !creates {
                    check_changes(&before, run, &changes, &context);
                }
                check_report(&before, run, &sent, &context);
                self.check_losses(&sent, &context);
                check_steps(&before, run, &context);
                check_job(&before, run, &context);
                self.events
                    .extend(changes.iter().map(|change| change.event().expect("every change is reported")));
            }
        }
        self.end = run.job.status();
    }

    /// A step is not run for ever, however it loses its workers.
    fn check_losses(&mut self, sent: &Command, context: &str) {
        if let Command::Lose { hold, .. } = sent {
            let lost = self.lost.entry(hold.ordinal()).or_default();
            *lost += 1;
            assert!(*lost <= limits::STEP_LOSSES + 1, "{context}: {lost} workers were lost");
        }
    }

    /// The final status depends only on the failure policy, the steps and whether the job was cancelled.
    pub(super) fn check_end(&self, run: &Run) {
        let context = format!("seed {}: {run:#?}", self.seed);
        let any = |status| run.steps.iter().any(|step| step.status() == status);
        let failed_fast = any(StepStatus::Failed) && run.job.failure_policy == FailurePolicy::FailFast;
        let expected = if self.cancelled {
            JobStatus::Cancelled
        } else if any(StepStatus::Completed) && !failed_fast {
            JobStatus::Completed
        } else {
            JobStatus::Failed
        };
        assert_eq!(run.job.status(), expected, "{context}");
        assert_eq!(run.job.error().is_some(), expected == JobStatus::Failed, "{context}");
        let sum: Usage = run.steps.iter().filter_map(|step| step.usage().cloned()).sum();
        assert_eq!(run.job.usage(), Some(&sum), "{context}");
    }
}

/// Only the worker that holds a step can report on it, and the usage in its report is recorded.
fn check_report(before: &Run, after: &Run, command: &Command, context: &str) {
    let (hold, usage) = match command {
        Command::Complete { hold, usage, .. } => (hold, Some(usage)),
        Command::Fail { hold, usage, .. } => (hold, usage.as_ref()),
        Command::Stop { hold } | Command::HandBack { hold } | Command::Lose { hold, .. } => (hold, None),
        Command::Create | Command::Start { .. } | Command::SkipOverBudget { .. } | Command::Cancel => return,
    };
    let old = &before.steps[hold.ordinal() as usize];
    let new = &after.steps[hold.ordinal() as usize];
    assert_eq!((old.attempt(), old.status()), (hold.attempt(), StepStatus::InProgress), "{context}");
    assert_eq!(new.usage(), usage, "{context}");
}

/// Replays the changes on the old statuses. Each must be allowed, and together they must give the new statuses.
fn check_changes(before: &Run, after: &Run, changes: &[Change], context: &str) {
    let mut job = before.job.status();
    let mut steps: Vec<StepStatus> = before.steps.iter().map(|step| step.status()).collect();
    for change in changes {
        match change {
            Change::Job(state) => {
                let next = state.status();
                assert!(job_may_move(job, next), "{context}: job {job:?} to {next:?}");
                job = next;
            }
            Change::Step(ordinal, status) => {
                let next = *status;
                let step = &mut steps[*ordinal as usize];
                assert!(step_may_move(*step, next), "{context}: step {ordinal} {step:?} to {next:?}");
                *step = next;
            }
        }
    }
    let found: Vec<StepStatus> = after.steps.iter().map(|step| step.status()).collect();
    assert_eq!((job, steps), (after.job.status(), found), "{context}");
}

/// The job transitions of the contract. An independent copy of the table in `transitions.rs`, to check it.
fn job_may_move(from: JobStatus, to: JobStatus) -> bool {
    use JobStatus::{Cancelled, Cancelling, Completed, Failed, InProgress, Queued};
    matches!(
        (from, to),
        (Queued, InProgress | Cancelled)
            | (InProgress, Completed | Failed | Cancelling)
            | (Cancelling, Cancelled)
    )
}

/// The step transitions of the contract. An independent copy of the table in `transitions.rs`, to check it.
fn step_may_move(from: StepStatus, to: StepStatus) -> bool {
    use StepStatus::{Blocked, Cancelled, Completed, Failed, InProgress, Queued, Skipped};
    matches!(
        (from, to),
        (Blocked, Queued | Skipped | Cancelled)
            | (Queued, InProgress | Skipped | Cancelled)
            | (InProgress, Completed | Failed | Cancelled | Queued)
    )
}

fn check_steps(before: &Run, after: &Run, context: &str) {
    for (old, new) in before.steps.iter().zip(&after.steps) {
        if old.status().is_terminal() {
            assert_eq!(old, new, "{context}: a terminal step changed");
        }
        assert!(new.attempt() - old.attempt() <= 1 && new.attempt() >= old.attempt(), "{context}");
        assert!(new.losses() < limits::STEP_LOSSES || new.status() == StepStatus::Failed, "{context}");
        assert_eq!(new.status().is_terminal(), new.completed_at().is_some(), "{context}");
        assert_eq!(new.attempt() > 0, new.started_at().is_some(), "{context}");
        assert!(new.runs_alone() || !old.runs_alone(), "{context}: once alone, always alone");
        check_needs(after, new, context);
        check_error(new, context);
    }
}

/// A step is queued, runs or completes only after the steps that it needs have completed.
fn check_needs(run: &Run, step: &Step, context: &str) {
    let done = step.needs.iter().all(|need| run.steps[*need as usize].status() == StepStatus::Completed);
    let released = match step.status() {
        StepStatus::Queued | StepStatus::InProgress | StepStatus::Completed | StepStatus::Failed => true,
        StepStatus::Blocked | StepStatus::Cancelled | StepStatus::Skipped => false,
    };
    assert!(done || !released, "{context}: step {} before its needs", step.ordinal);
    assert!(
        !done || step.status() != StepStatus::Blocked,
        "{context}: step {} waits for nothing",
        step.ordinal
    );
}

fn check_error(step: &Step, context: &str) {
    let code = step.error().map(|error| error.code.as_str());
    let fits = match step.status() {
        StepStatus::Blocked | StepStatus::Queued | StepStatus::InProgress | StepStatus::Completed => {
            code.is_none()
        }
        StepStatus::Failed => matches!(code, Some("backend_error" | "worker_lost")),
        StepStatus::Cancelled => code == Some("cancelled"),
        StepStatus::Skipped => matches!(code, Some("dependency_failed" | "fail_fast" | "budget_exceeded")),
    };
    assert!(fits, "{context}: step {} is {:?} with {code:?}", step.ordinal, step.status());
}

fn check_job(before: &Run, after: &Run, context: &str) {
    if before.job.status().is_terminal() {
        assert_eq!(
            (&before.job, &before.steps),
            (&after.job, &after.steps),
            "{context}: a terminal job changed"
        );
    }
    let all_ended = after.steps.iter().all(|step| step.status().is_terminal());
    assert_eq!(after.job.status().is_terminal(), all_ended, "{context}");
    assert_eq!(after.job.status().is_terminal(), after.job.completed_at().is_some(), "{context}");
    assert_eq!(after.job.status().is_terminal(), after.job.usage().is_some(), "{context}");
    let waiting = |step: &Step| matches!(step.status(), StepStatus::Blocked | StepStatus::Queued);
    assert!(after.job.status() != JobStatus::Cancelling || !after.steps.iter().any(waiting), "{context}");
    let old = before.job.progress.percent;
    let new = after.job.progress.percent;
    assert!(new >= old, "{context}: {old} to {new} percent");
    assert_eq!(new == 100, after.job.status() == JobStatus::Completed, "{context}: {new} percent");
    let keeps =
        matches!(after.job.status(), JobStatus::Cancelling | JobStatus::Failed | JobStatus::Cancelled);
    assert!(new == old || !keeps, "{context}: {old} to {new} percent at the end");
    let any_ran = after.steps.iter().any(|step| step.attempt() > 0);
    assert!(new == 0 || any_ran, "{context}: {new} percent, and nothing ran");
    let costs = after.steps.iter().filter_map(|step| step.usage()).map(|usage| usage.cost_usd);
    let cost: Usd = costs.sum();
    assert!(after.job.max_cost_usd.is_none_or(|bound| cost <= bound), "{context}: cost {cost}");
}

#[test]
fn the_table_of_transitions_agrees_with_the_contract() {
    for from in JobStatus::ALL {
        for to in JobStatus::ALL {
            assert_eq!(to.predecessors().contains(from), job_may_move(*from, *to), "job {from:?} to {to:?}");
        }
    }
    for from in StepStatus::ALL {
        for to in StepStatus::ALL {
            assert_eq!(
                to.predecessors().contains(from),
                step_may_move(*from, *to),
                "step {from:?} to {to:?}"
            );
        }
    }
}
