//! A step that a worker has claimed. Ending the attempt consumes the claim, so that an attempt ends only once.

use super::{Command, Loss};
use crate::id::JobId;
use crate::job::Job;
use crate::step::{Cause, Step, StepWork};
use crate::usage::{Units, Usage};

/// Which step a worker holds, and in which attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StepHold {
    ordinal: i64,
    attempt: i64,
}

impl StepHold {
    /// The hold that a stored lease describes.
    pub fn from_stored(ordinal: i64, attempt: i64) -> Self {
        Self { ordinal, attempt }
    }

    pub fn ordinal(self) -> i64 {
        self.ordinal
    }

    pub fn attempt(self) -> i64 {
        self.attempt
    }
}

/// A step that this process started, and its job at that time. It cannot be cloned.
#[derive(Debug)]
pub struct ClaimedStep {
    job: Job,
    step: Step,
    work: StepWork,
}

impl ClaimedStep {
    /// For a step that `Command::Start` has just started, after that change was committed. `None` if it was read without
    /// its work.
    pub fn new(job: Job, mut step: Step) -> Option<Self> {
        let work = step.work.take()?;
        Some(Self { job, step, work })
    }

    pub fn job(&self) -> &Job {
        &self.job
    }

    pub fn step(&self) -> &Step {
        &self.step
    }

    pub fn work(&self) -> &StepWork {
        &self.work
    }

    pub fn job_id(&self) -> &JobId {
        &self.job.id
    }

    pub fn hold(&self) -> StepHold {
        StepHold { ordinal: self.step.ordinal, attempt: self.step.attempt() }
    }

    /// The step is finished. The caller is never charged for more than the step's bound, even if the model used more.
    pub fn complete(self, resolved_model: Option<String>, units: Units) -> Command {
        let usage = Usage::priced(units.at_most(self.work.unit_bound), &self.step.rates);
        Command::Complete { hold: self.hold(), resolved_model, usage }
    }

    /// The step could not be finished. Failed work is not charged.
    pub fn fail(self, cause: Cause) -> Command {
        Command::Fail { hold: self.hold(), cause, usage: None }
    }

    /// Stopped because the job is being cancelled.
    pub fn stop(self) -> Command {
        Command::Stop { hold: self.hold() }
    }

    /// Returned unfinished because this process is shutting down.
    pub fn hand_back(self) -> Command {
        Command::HandBack { hold: self.hold() }
    }

    /// Given up because something that the step needs cannot be reached from here. Counts as a lost worker.
    pub fn lose(self) -> Command {
        Command::Lose { hold: self.hold(), loss: Loss::Unreachable }
    }
}
