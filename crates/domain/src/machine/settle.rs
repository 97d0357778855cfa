//! The consequences of a changed step: other steps are unblocked or skipped, and the job ends with its last step.

use super::{ChangeLog, Refused, Run};
use crate::job::{FailurePolicy, JobState, JobStatus};
use crate::step::{Cause, Failure, Step, StepCode, StepState, StepStatus};
use crate::time::Timestamp;
use crate::usage::Usage;

impl Run {
    pub(super) fn settle(&mut self, log: &mut ChangeLog) -> Result<(), Refused> {
        if self.job.status().is_terminal() {
            return Ok(());
        }
        self.release_blocked(log)?;
        if self.steps.iter().all(|step| step.status().is_terminal()) {
            let state = self.final_state(log.now);
            self.move_job(state, log)?;
        }
        Ok(())
    }

    /// Steps are sorted so that each comes after those it needs; one pass reaches every blocked step.
    fn release_blocked(&mut self, log: &mut ChangeLog) -> Result<(), Refused> {
        for ordinal in self.ordinals_in(&[StepStatus::Blocked]) {
            let needs = self.step(ordinal).map_or_else(Vec::new, |step| step.needs.clone());
            let needed: Vec<&Step> = needs.iter().filter_map(|need| self.step(*need)).collect();
            if let Some(missing) = needed.iter().find(|step| will_never_complete(step)) {
                let message = format!("It needs the step `{}`, which did not complete.", missing.key);
                self.skip_step(ordinal, Cause::new(StepCode::DependencyFailed, message), log)?;
            } else if needed.iter().all(|step| step.status() == StepStatus::Completed) {
                self.move_step(ordinal, StepState::Queued, log)?;
            }
        }
        Ok(())
    }

    fn final_state(&self, now: Timestamp) -> JobState {
        let usage = self.steps.iter().filter_map(|step| step.usage().cloned()).sum::<Usage>();
        match self.job.status() {
            // A job that was never started can only end by a cancel.
            JobStatus::Queued | JobStatus::Cancelling => JobState::Cancelled { at: now, usage },
            JobStatus::InProgress | JobStatus::Completed | JobStatus::Failed | JobStatus::Cancelled => {
                match self.failure() {
                    Some(error) => JobState::Failed { at: now, usage, error },
                    None => JobState::Completed { at: now, usage },
                }
            }
        }
    }

    /// The error of a failed job, or `None` if the job completed: that of the step that failed first, else of the first
    /// skipped step, else of the first cancelled step.
    fn failure(&self) -> Option<Failure> {
        let any = |status| self.steps.iter().any(|step| step.status() == status);
        let failed_fast = any(StepStatus::Failed) && self.job.failure_policy == FailurePolicy::FailFast;
        if any(StepStatus::Completed) && !failed_fast {
            return None;
        }
        let with = |status| self.steps.iter().filter(move |step| step.status() == status);
        let first_failed = with(StepStatus::Failed).min_by_key(|step| (step.completed_at(), step.ordinal));
        let first = first_failed
            .or_else(|| with(StepStatus::Skipped).next())
            .or_else(|| with(StepStatus::Cancelled).next());
        first.and_then(|step| step.error().cloned())
    }

    pub(super) fn refresh_progress(&mut self) {
        let completed = self.steps.iter().filter(|step| step.status() == StepStatus::Completed).count();
        let ended = self.steps.iter().filter(|step| has_run(step)).count();
        let total = self.steps.len();
        let current = self.steps.iter().filter(|step| step.status() == StepStatus::InProgress);
        let percent = match self.job.status() {
            JobStatus::Completed => 100,
            JobStatus::Queued | JobStatus::InProgress => (ended * 100 / total.max(1)).min(99),
            // Steps that are cancelled or skipped at the end are not progress.
            JobStatus::Cancelling | JobStatus::Failed | JobStatus::Cancelled => 0,
        };
        let progress = &mut self.job.progress;
        progress.current_steps = current.map(|step| step.key.clone()).collect();
        progress.completed_steps = completed as u64;
        progress.total_steps = total as u64;
        progress.percent = progress.percent.max(percent as u8);
    }
}

/// Whether the step has done its work, successfully or not.
fn has_run(step: &Step) -> bool {
    match step.status() {
        StepStatus::Completed | StepStatus::Failed => true,
        StepStatus::Blocked
        | StepStatus::Queued
        | StepStatus::InProgress
        | StepStatus::Cancelled
        | StepStatus::Skipped => false,
    }
}

fn will_never_complete(step: &Step) -> bool {
    match step.status() {
        StepStatus::Failed | StepStatus::Cancelled | StepStatus::Skipped => true,
        StepStatus::Blocked | StepStatus::Queued | StepStatus::InProgress | StepStatus::Completed => false,
    }
}
