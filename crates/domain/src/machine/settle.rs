//! What follows from a changed step: others are unblocked or skipped, and the job ends when nothing is left.

use super::{Change, Run};
use crate::job::{FailurePolicy, JobStatus};
use crate::step::{Cause, Failure, Step, StepCode, StepStatus};
use crate::time::Timestamp;
use crate::usage::Usage;

impl Run {
    pub(super) fn settle(&mut self, now: Timestamp, changes: &mut Vec<Change>) {
        if self.job.status.is_terminal() {
            return;
        }
        self.release_blocked(now, changes);
        if self.steps.iter().all(|step| step.status.is_terminal()) {
            self.end_job(now, changes);
        }
    }

    /// Steps stand in an order in which they can run, so one pass reaches everything that waits.
    fn release_blocked(&mut self, now: Timestamp, changes: &mut Vec<Change>) {
        for ordinal in self.ordinals_in(&[StepStatus::Blocked]) {
            let needs = self.step(ordinal).map_or_else(Vec::new, |step| step.needs.clone());
            let needed: Vec<&Step> = needs.iter().filter_map(|need| self.step(*need)).collect();
            if let Some(missing) = needed.iter().find(|step| will_never_complete(step)) {
                let message = format!("It needs the step `{}`, which did not complete.", missing.key);
                self.skip_step(ordinal, Cause::new(StepCode::DependencyFailed, message), now, changes);
            } else if needed.iter().all(|step| step.status == StepStatus::Completed) {
                self.move_step(ordinal, StepStatus::Queued, changes);
            }
        }
    }

    fn end_job(&mut self, now: Timestamp, changes: &mut Vec<Change>) {
        let status = self.final_status();
        if status == JobStatus::Failed {
            self.job.error = self.first_failure();
        }
        self.job.completed_at = Some(now);
        self.job.usage = Some(self.steps.iter().filter_map(|step| step.usage.clone()).sum::<Usage>());
        self.move_job(status, changes);
    }

    fn final_status(&self) -> JobStatus {
        let any = |status| self.steps.iter().any(|step| step.status == status);
        match self.job.status {
            // A job that never started ends only by a cancel.
            JobStatus::Queued | JobStatus::Cancelling => JobStatus::Cancelled,
            JobStatus::InProgress | JobStatus::Completed | JobStatus::Failed | JobStatus::Cancelled => {
                let failed_fast =
                    any(StepStatus::Failed) && self.job.failure_policy == FailurePolicy::FailFast;
                if any(StepStatus::Completed) && !failed_fast {
                    JobStatus::Completed
                } else {
                    JobStatus::Failed
                }
            }
        }
    }

    /// The failure that the job reports: the step that failed first, else the first that was skipped.
    fn first_failure(&self) -> Option<Failure> {
        let failed = self.steps.iter().filter(|step| step.status == StepStatus::Failed);
        let earliest = failed.min_by_key(|step| (step.completed_at, step.ordinal));
        earliest
            .or_else(|| self.steps.iter().find(|step| step.status == StepStatus::Skipped))
            .and_then(|step| step.error.clone())
    }

    pub(super) fn refresh_progress(&mut self) {
        let completed = self.steps.iter().filter(|step| step.status == StepStatus::Completed).count() as u64;
        let ended = self.steps.iter().filter(|step| step.status.is_terminal()).count() as u64;
        let total = self.steps.len() as u64;
        let current = self.steps.iter().filter(|step| step.status == StepStatus::InProgress);
        self.job.progress.current_steps = current.map(|step| step.key.clone()).collect();
        self.job.progress.completed_steps = completed;
        self.job.progress.total_steps = total;
        let percent =
            if self.job.status == JobStatus::Completed { 100 } else { (ended * 100 / total.max(1)).min(99) };
        self.job.progress.percent = self.job.progress.percent.max(percent as u8);
    }
}

fn will_never_complete(step: &Step) -> bool {
    match step.status {
        StepStatus::Failed | StepStatus::Cancelled | StepStatus::Skipped => true,
        StepStatus::Blocked | StepStatus::Queued | StepStatus::InProgress | StepStatus::Completed => false,
    }
}
