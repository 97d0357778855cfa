//! The states of a job. Only the state machine moves a job from one to another.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::step::{EndColumns, Failure};
use crate::time::Timestamp;
use crate::usage::Usage;

/// The `status` of a job.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, EnumString, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum JobStatus {
    Queued,
    InProgress,
    Cancelling,
    Completed,
    Failed,
    Cancelled,
}

impl JobStatus {
    pub const ALL: &'static [Self] = Self::VARIANTS;

    pub fn as_str(self) -> &'static str {
        self.into()
    }

    pub fn is_terminal(self) -> bool {
        match self {
            Self::Queued | Self::InProgress | Self::Cancelling => false,
            Self::Completed | Self::Failed | Self::Cancelled => true,
        }
    }
}

/// A job's status together with the data that only this status has.
#[derive(Debug, Clone, PartialEq)]
pub enum JobState {
    Queued,
    InProgress,
    Cancelling,
    Completed { at: Timestamp, usage: Usage },
    Failed { at: Timestamp, usage: Usage, error: Failure },
    Cancelled { at: Timestamp, usage: Usage },
}

impl JobState {
    pub fn status(&self) -> JobStatus {
        match self {
            Self::Queued => JobStatus::Queued,
            Self::InProgress => JobStatus::InProgress,
            Self::Cancelling => JobStatus::Cancelling,
            Self::Completed { .. } => JobStatus::Completed,
            Self::Failed { .. } => JobStatus::Failed,
            Self::Cancelled { .. } => JobStatus::Cancelled,
        }
    }

    pub fn ended_at(&self) -> Option<Timestamp> {
        match self {
            Self::Queued | Self::InProgress | Self::Cancelling => None,
            Self::Completed { at, .. } | Self::Failed { at, .. } | Self::Cancelled { at, .. } => Some(*at),
        }
    }

    pub fn usage(&self) -> Option<&Usage> {
        match self {
            Self::Queued | Self::InProgress | Self::Cancelling => None,
            Self::Completed { usage, .. } | Self::Failed { usage, .. } | Self::Cancelled { usage, .. } => {
                Some(usage)
            }
        }
    }

    pub fn error(&self) -> Option<&Failure> {
        match self {
            Self::Failed { error, .. } => Some(error),
            Self::Queued
            | Self::InProgress
            | Self::Cancelling
            | Self::Completed { .. }
            | Self::Cancelled { .. } => None,
        }
    }

    /// Builds the state from stored columns. `None` if a column that the status needs is missing.
    pub fn from_columns(status: JobStatus, end: EndColumns) -> Option<Self> {
        let EndColumns { at, error, usage } = end;
        Some(match status {
            JobStatus::Queued => Self::Queued,
            JobStatus::InProgress => Self::InProgress,
            JobStatus::Cancelling => Self::Cancelling,
            JobStatus::Completed => Self::Completed { at: at?, usage: usage? },
            JobStatus::Failed => Self::Failed { at: at?, usage: usage?, error: error? },
            JobStatus::Cancelled => Self::Cancelled { at: at?, usage: usage? },
        })
    }
}
