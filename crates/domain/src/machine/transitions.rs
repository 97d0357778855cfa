//! The table of allowed transitions, as the contract lists them, and the two functions that make a transition.

use super::{Change, ChangeLog, Refused, Run};
use crate::job::{JobState, JobStatus};
use crate::step::{StepState, StepStatus};

impl Run {
    /// Gives the step a new state, unless the table forbids it.
    pub(super) fn move_step(
        &mut self,
        ordinal: i64,
        state: StepState,
        log: &mut ChangeLog,
    ) -> Result<(), Refused> {
        let step = self.step_mut(ordinal)?;
        if !state.status().predecessors().contains(&step.status()) {
            return Err(Refused::ForbiddenTransition);
        }
        log.push(Change::Step(ordinal, state.status()));
        step.run.state = state;
        Ok(())
    }

    /// Gives the job a new state, unless the table forbids it.
    pub(super) fn move_job(&mut self, state: JobState, log: &mut ChangeLog) -> Result<(), Refused> {
        if !state.status().predecessors().contains(&self.job.status()) {
            return Err(Refused::ForbiddenTransition);
        }
        log.push(Change::Job(state.clone()));
        self.job.run.state = state;
        Ok(())
    }
}

impl StepStatus {
    /// The statuses from which a step may move to this one.
    pub fn predecessors(self) -> &'static [Self] {
        match self {
            Self::Blocked => &[],
            Self::Queued => &[Self::Blocked, Self::InProgress],
            Self::InProgress => &[Self::Queued],
            Self::Completed | Self::Failed => &[Self::InProgress],
            Self::Skipped => &[Self::Blocked, Self::Queued],
            Self::Cancelled => &[Self::Blocked, Self::Queued, Self::InProgress],
        }
    }
}

impl JobStatus {
    /// The statuses from which a job may move to this one.
    pub fn predecessors(self) -> &'static [Self] {
        match self {
            Self::Queued => &[],
            Self::InProgress => &[Self::Queued],
            Self::Cancelling => &[Self::InProgress],
            Self::Completed | Self::Failed => &[Self::InProgress],
            Self::Cancelled => &[Self::Queued, Self::Cancelling],
        }
    }
}
