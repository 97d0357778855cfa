//! The table of allowed transitions, as the contract lists them.

use crate::job::JobStatus;
use crate::step::StepStatus;

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
