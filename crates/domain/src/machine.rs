//! The state machine: the only place where the status of a job or step changes.

mod settle;
#[cfg(test)]
mod walks;

use crate::event::EventType;
use crate::job::{FailurePolicy, Job, JobStatus};
use crate::limits;
use crate::money::Usd;
use crate::step::{Cause, Step, StepCode, StepStatus};
use crate::time::Timestamp;
use crate::usage::Usage;

/// A job and all its steps, in order of `ordinal`: what a command is applied to.
#[derive(Debug, Clone)]
pub struct Run {
    pub job: Job,
    pub steps: Vec<Step>,
}

/// Something that happened to a job, told to its state machine.
#[derive(Debug, Clone)]
pub enum Command {
    /// The job was stored: its first events are told.
    Create,
    /// A worker takes a queued step.
    Start { ordinal: i64 },
    /// A queued step that could pass the budget is skipped; refused where the budget allows it now.
    SkipOverBudget { ordinal: i64 },
    /// The worker that holds `attempt` is done.
    Complete { ordinal: i64, attempt: i64, resolved_model: Option<String>, usage: Usage },
    /// The worker that holds `attempt` could not do it.
    Fail { ordinal: i64, attempt: i64, cause: Cause, usage: Option<Usage> },
    /// The worker that holds `attempt` stopped because it was told to.
    Stop { ordinal: i64, attempt: i64 },
    /// The worker that holds `attempt` gives the step back unfinished, for another to run.
    HandBack { ordinal: i64, attempt: i64 },
    /// The lease on `attempt` ran out: its worker is taken for dead.
    Lose { ordinal: i64, attempt: i64 },
    /// The caller wants no more of it.
    Cancel,
}

/// What a command changed, in the order in which it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Job(EventType),
    /// The ordinal of the step.
    Step(i64, EventType),
}

/// The command does not fit the state; nothing was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("the step is not in the state that the command needs")]
    WrongState,
    #[error("another attempt holds the step")]
    StaleAttempt,
    #[error("the job has no such step")]
    NoSuchStep,
}

impl Run {
    /// Applies one command. Refusal changes nothing; success returns every change, to be stored in one transaction.
    pub fn apply(&mut self, command: Command, now: Timestamp) -> Result<Vec<Change>, Refused> {
        let mut changes = Vec::new();
        match command {
            Command::Create => self.create(&mut changes),
            Command::Start { ordinal } => self.start(ordinal, now, &mut changes)?,
            Command::SkipOverBudget { ordinal } => {
                let step = self.step(ordinal).ok_or(Refused::NoSuchStep)?;
                if !self.would_exceed_budget(step) {
                    return Err(Refused::WrongState);
                }
                self.start(ordinal, now, &mut changes)?;
            }
            Command::Complete { ordinal, attempt, resolved_model, usage } => {
                let step = self.held(ordinal, attempt)?;
                step.resolved_model = resolved_model.or(step.resolved_model.take());
                step.usage = Some(usage);
                self.end_step(ordinal, StepStatus::Completed, now, &mut changes);
            }
            Command::Fail { ordinal, attempt, cause, usage } => {
                let step = self.held(ordinal, attempt)?;
                step.usage = usage;
                self.fail_step(ordinal, cause, now, &mut changes);
            }
            Command::Stop { ordinal, attempt } => {
                self.held(ordinal, attempt)?;
                // Only a cancel tells workers to stop; a stop by itself would end a job with no reason to show.
                if self.job.status != JobStatus::Cancelling {
                    return Err(Refused::WrongState);
                }
                self.cancel_step(ordinal, now, &mut changes);
            }
            Command::HandBack { ordinal, attempt } => {
                self.held(ordinal, attempt)?;
                self.requeue(ordinal, now, &mut changes);
            }
            Command::Lose { ordinal, attempt } => {
                self.held(ordinal, attempt)?.losses += 1;
                self.lose(ordinal, now, &mut changes);
            }
            Command::Cancel => self.cancel(now, &mut changes),
        }
        self.settle(now, &mut changes);
        self.refresh_progress();
        Ok(changes)
    }

    pub fn step(&self, ordinal: i64) -> Option<&Step> {
        usize::try_from(ordinal).ok().and_then(|index| self.steps.get(index))
    }

    fn step_mut(&mut self, ordinal: i64) -> Option<&mut Step> {
        usize::try_from(ordinal).ok().and_then(|index| self.steps.get_mut(index))
    }

    /// The running step, if this attempt is the one that runs it.
    fn held(&mut self, ordinal: i64, attempt: i64) -> Result<&mut Step, Refused> {
        let step = self.step_mut(ordinal).ok_or(Refused::NoSuchStep)?;
        if step.attempt != attempt {
            return Err(Refused::StaleAttempt);
        }
        if step.status != StepStatus::InProgress {
            return Err(Refused::WrongState);
        }
        Ok(step)
    }

    fn create(&mut self, changes: &mut Vec<Change>) {
        changes.push(Change::Job(EventType::of_job(self.job.status)));
        changes.extend(self.steps.iter().filter_map(|step| {
            EventType::of_step(step.status).map(|event| Change::Step(step.ordinal, event))
        }));
    }

    fn start(&mut self, ordinal: i64, now: Timestamp, changes: &mut Vec<Change>) -> Result<(), Refused> {
        let step = self.step(ordinal).ok_or(Refused::NoSuchStep)?;
        if step.status != StepStatus::Queued {
            return Err(Refused::WrongState);
        }
        let over_budget = self.would_exceed_budget(step);
        if self.job.status == JobStatus::Queued {
            self.job.started_at = Some(now);
            self.move_job(JobStatus::InProgress, changes);
        }
        if over_budget {
            let message = "Running this step could pass `max_cost_usd`, so it was not started.";
            self.skip_step(ordinal, Cause::new(StepCode::BudgetExceeded, message), now, changes);
            return Ok(());
        }
        if let Some(step) = self.step_mut(ordinal) {
            step.attempt += 1;
            step.started_at = step.started_at.or(Some(now));
        }
        self.move_step(ordinal, StepStatus::InProgress, changes);
        Ok(())
    }

    /// What finished steps cost and running ones may cost, plus this one, against the caller's bound.
    fn would_exceed_budget(&self, step: &Step) -> bool {
        let Some(bound) = self.job.max_cost_usd else {
            return false;
        };
        let committed: Usd =
            self.steps.iter().filter(|other| other.ordinal != step.ordinal).map(committed_cost).sum();
        committed + step.cost_bound > bound
    }

    fn lose(&mut self, ordinal: i64, now: Timestamp, changes: &mut Vec<Change>) {
        let losses = self.step(ordinal).map_or(0, |step| step.losses);
        if losses < limits::STEP_ATTEMPTS {
            self.requeue(ordinal, now, changes);
        } else {
            let message = format!("The step's worker was lost {losses} times.");
            self.fail_step(ordinal, Cause::new(StepCode::WorkerLost, message), now, changes);
        }
    }

    /// A step that nobody holds any more waits for another worker, unless its job is being cancelled.
    fn requeue(&mut self, ordinal: i64, now: Timestamp, changes: &mut Vec<Change>) {
        if self.job.status == JobStatus::Cancelling {
            self.cancel_step(ordinal, now, changes);
        } else {
            self.move_step(ordinal, StepStatus::Queued, changes);
        }
    }

    fn cancel(&mut self, now: Timestamp, changes: &mut Vec<Change>) {
        match self.job.status {
            JobStatus::Queued => {}
            JobStatus::InProgress => self.move_job(JobStatus::Cancelling, changes),
            JobStatus::Cancelling | JobStatus::Completed | JobStatus::Failed | JobStatus::Cancelled => return,
        }
        for ordinal in self.ordinals_in(&[StepStatus::Blocked, StepStatus::Queued]) {
            self.cancel_step(ordinal, now, changes);
        }
    }

    fn fail_step(&mut self, ordinal: i64, cause: Cause, now: Timestamp, changes: &mut Vec<Change>) {
        if let Some(step) = self.step_mut(ordinal) {
            step.fail_with(cause);
        }
        self.end_step(ordinal, StepStatus::Failed, now, changes);
        if self.job.failure_policy == FailurePolicy::FailFast && self.job.status == JobStatus::InProgress {
            self.fail_fast(ordinal, now, changes);
        }
    }

    fn fail_fast(&mut self, failed: i64, now: Timestamp, changes: &mut Vec<Change>) {
        let key = self.step(failed).map_or_else(String::new, |step| step.key.clone());
        for ordinal in self.ordinals_in(&[StepStatus::Queued, StepStatus::InProgress]) {
            self.cancel_step(ordinal, now, changes);
        }
        for ordinal in self.ordinals_in(&[StepStatus::Blocked]) {
            let message = format!("The step `{key}` failed and the failure policy is `fail_fast`.");
            self.skip_step(ordinal, Cause::new(StepCode::FailFast, message), now, changes);
        }
    }

    fn cancel_step(&mut self, ordinal: i64, now: Timestamp, changes: &mut Vec<Change>) {
        if let Some(step) = self.step_mut(ordinal) {
            step.fail_with(Cause::new(StepCode::Cancelled, "The step was cancelled before it was done."));
        }
        self.end_step(ordinal, StepStatus::Cancelled, now, changes);
    }

    fn skip_step(&mut self, ordinal: i64, cause: Cause, now: Timestamp, changes: &mut Vec<Change>) {
        if let Some(step) = self.step_mut(ordinal) {
            step.fail_with(cause);
        }
        self.end_step(ordinal, StepStatus::Skipped, now, changes);
    }

    fn end_step(&mut self, ordinal: i64, status: StepStatus, now: Timestamp, changes: &mut Vec<Change>) {
        if let Some(step) = self.step_mut(ordinal) {
            step.completed_at = Some(now);
        }
        self.move_step(ordinal, status, changes);
    }

    fn move_step(&mut self, ordinal: i64, status: StepStatus, changes: &mut Vec<Change>) {
        if let Some(step) = self.step_mut(ordinal) {
            step.status = status;
            changes.extend(EventType::of_step(status).map(|event| Change::Step(ordinal, event)));
        }
    }

    fn move_job(&mut self, status: JobStatus, changes: &mut Vec<Change>) {
        self.job.status = status;
        changes.push(Change::Job(EventType::of_job(status)));
    }

    fn ordinals_in(&self, statuses: &[StepStatus]) -> Vec<i64> {
        self.steps.iter().filter(|step| statuses.contains(&step.status)).map(|step| step.ordinal).collect()
    }
}

/// What a step has cost, or may yet cost while it runs.
fn committed_cost(step: &Step) -> Usd {
    match step.status {
        StepStatus::InProgress => step.cost_bound,
        StepStatus::Blocked
        | StepStatus::Queued
        | StepStatus::Completed
        | StepStatus::Failed
        | StepStatus::Cancelled
        | StepStatus::Skipped => step.usage.as_ref().map_or(Usd::ZERO, |usage| usage.cost_usd),
    }
}
