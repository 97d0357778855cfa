//! The state machine: the only place where the status of a job or step changes.

mod changes;
mod claim;
mod loss;
mod saved_states;
mod settle;
mod transitions;
#[cfg(test)]
mod walks;

use crate::job::{FailurePolicy, Job, JobState, JobStatus};
use crate::limits;
use crate::money::Usd;
use crate::step::{Cause, Step, StepCode, StepState, StepStatus};
use crate::time::Timestamp;
use crate::usage::Usage;

use changes::ChangeLog;
pub use changes::{Change, ended_steps, ends_job, moved_steps};
pub use claim::{ClaimedStep, StepHold};
pub use loss::Loss;
use saved_states::SavedStates;

/// A job and all its steps in the order of `ordinal`: what a command is applied to.
#[derive(Debug, Clone)]
pub struct Run {
    pub job: Job,
    pub steps: Vec<Step>,
}

/// What happens to a job: something that a worker, the store or the caller did.
#[derive(Debug, Clone)]
pub enum Command {
    /// The job was stored; its first events are recorded.
    Create,
    /// A worker starts a queued step.
    Start { ordinal: i64 },
    /// A queued step that could exceed the budget is skipped. Refused if the budget allows the step now.
    SkipOverBudget { ordinal: i64 },
    /// The worker that holds the step has finished it.
    Complete { hold: StepHold, resolved_model: Option<String>, usage: Usage },
    /// The worker that holds the step could not finish it.
    Fail { hold: StepHold, cause: Cause, usage: Option<Usage> },
    /// The worker that holds the step stopped because its job is being cancelled.
    Stop { hold: StepHold },
    /// The worker that holds the step returns it unfinished, for another worker to run.
    HandBack { hold: StepHold },
    /// The step lost its worker: it gave up, or its lease ran out and it is presumed dead.
    Lose { hold: StepHold, loss: Loss },
    /// The caller cancels the job.
    Cancel,
}

/// The command does not fit the state. Nothing was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("the step is not in the state that the command needs")]
    WrongState,
    #[error("another attempt holds the step")]
    StaleAttempt,
    #[error("the job has no such step")]
    NoSuchStep,
    /// A mistake in the state machine, or a stored state that no command leads to.
    #[error("the table of transitions does not allow the change")]
    ForbiddenTransition,
}

impl Run {
    /// Applies one command. A refusal changes nothing. Success returns every change, to be stored in one transaction.
    pub fn apply(&mut self, command: Command, now: Timestamp) -> Result<Vec<Change>, Refused> {
        let before = SavedStates::of(self);
        let mut log = ChangeLog::new(now);
        let outcome = self.execute(command, &mut log).and_then(|()| self.settle(&mut log));
        if let Err(refused) = outcome {
            before.restore(self);
            return Err(refused);
        }
        self.refresh_progress();
        Ok(log.changes)
    }

    fn execute(&mut self, command: Command, log: &mut ChangeLog) -> Result<(), Refused> {
        match command {
            Command::Create => self.create(log),
            Command::Start { ordinal } => self.start(ordinal, log),
            Command::SkipOverBudget { ordinal } => self.skip_over_budget(ordinal, log),
            Command::Complete { hold, resolved_model, usage } => {
                let step = self.held(hold)?;
                if let Some(model) = resolved_model {
                    step.run.resolved_model = model;
                }
                self.move_step(hold.ordinal(), StepState::Completed { at: log.now, usage }, log)
            }
            Command::Fail { hold, cause, usage } => {
                self.held(hold)?;
                self.fail_step(hold.ordinal(), cause, usage, log)
            }
            Command::Stop { hold } => self.stop(hold, log),
            Command::HandBack { hold } => {
                self.held(hold)?;
                self.requeue(hold.ordinal(), log)
            }
            Command::Lose { hold, loss } => {
                loss.record(&mut self.held(hold)?.run);
                self.lose(hold.ordinal(), log)
            }
            Command::Cancel => self.cancel(log),
        }
    }

    pub fn step(&self, ordinal: i64) -> Option<&Step> {
        usize::try_from(ordinal).ok().and_then(|index| self.steps.get(index))
    }

    fn step_mut(&mut self, ordinal: i64) -> Result<&mut Step, Refused> {
        let index = usize::try_from(ordinal).map_err(|_| Refused::NoSuchStep)?;
        self.steps.get_mut(index).ok_or(Refused::NoSuchStep)
    }

    /// The running step, if this attempt is the one that runs it.
    fn held(&mut self, hold: StepHold) -> Result<&mut Step, Refused> {
        let step = self.step_mut(hold.ordinal())?;
        if step.run.attempt != hold.attempt() {
            return Err(Refused::StaleAttempt);
        }
        if step.status() != StepStatus::InProgress {
            return Err(Refused::WrongState);
        }
        Ok(step)
    }

    fn create(&mut self, log: &mut ChangeLog) -> Result<(), Refused> {
        log.push(Change::Job(self.job.run.state.clone()));
        let steps = self.steps.iter().filter(|step| step.status() != StepStatus::Blocked);
        log.changes.extend(steps.map(|step| Change::Step(step.ordinal, step.status())));
        Ok(())
    }

    fn start(&mut self, ordinal: i64, log: &mut ChangeLog) -> Result<(), Refused> {
        let step = self.step(ordinal).ok_or(Refused::NoSuchStep)?;
        if step.status() != StepStatus::Queued {
            return Err(Refused::WrongState);
        }
        let over_budget = self.would_exceed_budget(step);
        if self.job.status() == JobStatus::Queued {
            self.job.run.started_at = Some(log.now);
            self.move_job(JobState::InProgress, log)?;
        }
        if over_budget {
            let message = "Running this step could exceed `max_cost_usd`, so it was not started.";
            return self.skip_step(ordinal, Cause::new(StepCode::BudgetExceeded, message), log);
        }
        let run = &mut self.step_mut(ordinal)?.run;
        run.attempt += 1;
        run.started_at = run.started_at.or(Some(log.now));
        self.move_step(ordinal, StepState::InProgress, log)
    }

    fn skip_over_budget(&mut self, ordinal: i64, log: &mut ChangeLog) -> Result<(), Refused> {
        let step = self.step(ordinal).ok_or(Refused::NoSuchStep)?;
        if !self.would_exceed_budget(step) {
            return Err(Refused::WrongState);
        }
        self.start(ordinal, log)
    }

    /// Whether the cost of ended steps, the bounds of running ones and this step's bound exceed the caller's limit.
    fn would_exceed_budget(&self, step: &Step) -> bool {
        let Some(limit) = self.job.max_cost_usd else {
            return false;
        };
        let others = self.steps.iter().filter(|other| other.ordinal != step.ordinal);
        let committed: Usd = others.map(committed_cost).sum();
        committed + step.cost_bound > limit
    }

    /// Workers are stopped only by a cancel. Without one, the job would end without a reason.
    fn stop(&mut self, hold: StepHold, log: &mut ChangeLog) -> Result<(), Refused> {
        self.held(hold)?;
        if self.job.status() != JobStatus::Cancelling {
            return Err(Refused::WrongState);
        }
        self.cancel_step(hold.ordinal(), log)
    }

    fn lose(&mut self, ordinal: i64, log: &mut ChangeLog) -> Result<(), Refused> {
        let losses = self.step(ordinal).map_or(0, |step| step.run.losses);
        if losses < limits::STEP_LOSSES {
            self.requeue(ordinal, log)
        } else {
            let message = format!("The step's worker was lost {losses} times.");
            self.fail_step(ordinal, Cause::new(StepCode::WorkerLost, message), None, log)
        }
    }

    /// A step without a worker is queued again, unless its job is being cancelled.
    fn requeue(&mut self, ordinal: i64, log: &mut ChangeLog) -> Result<(), Refused> {
        if self.job.status() == JobStatus::Cancelling {
            self.cancel_step(ordinal, log)
        } else {
            self.move_step(ordinal, StepState::Queued, log)
        }
    }

    fn cancel(&mut self, log: &mut ChangeLog) -> Result<(), Refused> {
        match self.job.status() {
            JobStatus::Queued => {}
            JobStatus::InProgress => self.move_job(JobState::Cancelling, log)?,
            JobStatus::Cancelling | JobStatus::Completed | JobStatus::Failed | JobStatus::Cancelled => {
                return Ok(());
            }
        }
        for ordinal in self.ordinals_in(&[StepStatus::Blocked, StepStatus::Queued]) {
            self.cancel_step(ordinal, log)?;
        }
        Ok(())
    }

    fn fail_step(
        &mut self,
        ordinal: i64,
        cause: Cause,
        usage: Option<Usage>,
        log: &mut ChangeLog,
    ) -> Result<(), Refused> {
        let error = self.step(ordinal).ok_or(Refused::NoSuchStep)?.failure(cause);
        self.move_step(ordinal, StepState::Failed { at: log.now, error, usage }, log)?;
        if self.job.failure_policy == FailurePolicy::FailFast && self.job.status() == JobStatus::InProgress {
            self.fail_fast(ordinal, log)?;
        }
        Ok(())
    }

    fn fail_fast(&mut self, failed: i64, log: &mut ChangeLog) -> Result<(), Refused> {
        let key = self.step(failed).map_or_else(String::new, |step| step.key.clone());
        for ordinal in self.ordinals_in(&[StepStatus::Queued, StepStatus::InProgress]) {
            self.cancel_step(ordinal, log)?;
        }
        for ordinal in self.ordinals_in(&[StepStatus::Blocked]) {
            let message = format!("The step `{key}` failed and the failure policy is `fail_fast`.");
            self.skip_step(ordinal, Cause::new(StepCode::FailFast, message), log)?;
        }
        Ok(())
    }

    fn cancel_step(&mut self, ordinal: i64, log: &mut ChangeLog) -> Result<(), Refused> {
        let cause = Cause::new(StepCode::Cancelled, "The step was cancelled before it completed.");
        let error = self.step(ordinal).ok_or(Refused::NoSuchStep)?.failure(cause);
        self.move_step(ordinal, StepState::Cancelled { at: log.now, error }, log)
    }

    fn skip_step(&mut self, ordinal: i64, cause: Cause, log: &mut ChangeLog) -> Result<(), Refused> {
        let error = self.step(ordinal).ok_or(Refused::NoSuchStep)?.failure(cause);
        self.move_step(ordinal, StepState::Skipped { at: log.now, error }, log)
    }

    fn ordinals_in(&self, statuses: &[StepStatus]) -> Vec<i64> {
        self.steps.iter().filter(|step| statuses.contains(&step.status())).map(|step| step.ordinal).collect()
    }
}

/// The cost of an ended step, or the most that a running step may still cost.
fn committed_cost(step: &Step) -> Usd {
    match step.state() {
        StepState::InProgress => step.cost_bound,
        StepState::Blocked
        | StepState::Queued
        | StepState::Completed { .. }
        | StepState::Failed { .. }
        | StepState::Cancelled { .. }
        | StepState::Skipped { .. } => step.usage().map_or(Usd::ZERO, |usage| usage.cost_usd),
    }
}
