//! The states of a step. Only the state machine moves a step from one to another.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::Failure;
use crate::time::Timestamp;
use crate::usage::Usage;

/// The `status` of a step.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, EnumString, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum StepStatus {
    Blocked,
    Queued,
    InProgress,
    Completed,
    Failed,
    Cancelled,
    Skipped,
}

impl StepStatus {
    pub const ALL: &'static [Self] = Self::VARIANTS;

    pub fn as_str(self) -> &'static str {
        self.into()
    }

    pub fn is_terminal(self) -> bool {
        match self {
            Self::Blocked | Self::Queued | Self::InProgress => false,
            Self::Completed | Self::Failed | Self::Cancelled | Self::Skipped => true,
        }
    }
}

/// A step's status together with the data that only this status has.
#[derive(Debug, Clone, PartialEq)]
pub enum StepState {
    Blocked,
    Queued,
    InProgress,
    Completed {
        at: Timestamp,
        usage: Usage,
    },
    /// `usage` is what the failed work is charged for, if anything.
    Failed {
        at: Timestamp,
        error: Failure,
        usage: Option<Usage>,
    },
    Cancelled {
        at: Timestamp,
        error: Failure,
    },
    Skipped {
        at: Timestamp,
        error: Failure,
    },
}

impl StepState {
    pub fn status(&self) -> StepStatus {
        match self {
            Self::Blocked => StepStatus::Blocked,
            Self::Queued => StepStatus::Queued,
            Self::InProgress => StepStatus::InProgress,
            Self::Completed { .. } => StepStatus::Completed,
            Self::Failed { .. } => StepStatus::Failed,
            Self::Cancelled { .. } => StepStatus::Cancelled,
            Self::Skipped { .. } => StepStatus::Skipped,
        }
    }

    pub fn ended_at(&self) -> Option<Timestamp> {
        match self {
            Self::Blocked | Self::Queued | Self::InProgress => None,
            Self::Completed { at, .. }
            | Self::Failed { at, .. }
            | Self::Cancelled { at, .. }
            | Self::Skipped { at, .. } => Some(*at),
        }
    }

    pub fn error(&self) -> Option<&Failure> {
        match self {
            Self::Blocked | Self::Queued | Self::InProgress | Self::Completed { .. } => None,
            Self::Failed { error, .. } | Self::Cancelled { error, .. } | Self::Skipped { error, .. } => {
                Some(error)
            }
        }
    }

    pub fn usage(&self) -> Option<&Usage> {
        match self {
            Self::Completed { usage, .. } => Some(usage),
            Self::Failed { usage, .. } => usage.as_ref(),
            Self::Blocked
            | Self::Queued
            | Self::InProgress
            | Self::Cancelled { .. }
            | Self::Skipped { .. } => None,
        }
    }

    /// Builds the state from stored columns. `None` if a column that the status needs is missing.
    pub fn from_columns(status: StepStatus, end: EndColumns) -> Option<Self> {
        let EndColumns { at, error, usage } = end;
        Some(match status {
            StepStatus::Blocked => Self::Blocked,
            StepStatus::Queued => Self::Queued,
            StepStatus::InProgress => Self::InProgress,
            StepStatus::Completed => Self::Completed { at: at?, usage: usage? },
            StepStatus::Failed => Self::Failed { at: at?, error: error?, usage },
            StepStatus::Cancelled => Self::Cancelled { at: at?, error: error? },
            StepStatus::Skipped => Self::Skipped { at: at?, error: error? },
        })
    }
}

/// The columns that only an ended step or job fills.
#[derive(Debug, Clone, Default)]
pub struct EndColumns {
    pub at: Option<Timestamp>,
    pub error: Option<Failure>,
    pub usage: Option<Usage>,
}
