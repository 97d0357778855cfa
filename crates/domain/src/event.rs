//! Events of a job and their types.

use crate::id::{EventId, JobId, StepId};
use crate::job::JobStatus;
use crate::json_text::JsonText;
use crate::step::StepStatus;
use crate::time::Timestamp;

macro_rules! event_types {
    ($($name:ident = $text:literal,)*) => {
        /// The `type` of an event.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::EnumString)]
        pub enum EventType { $(#[strum(serialize = $text)] $name,)* }

        impl EventType {
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

event_types! {
    JobQueued = "job.queued",
    JobInProgress = "job.in_progress",
    JobProgress = "job.progress",
    JobCancelling = "job.cancelling",
    JobCompleted = "job.completed",
    JobFailed = "job.failed",
    JobCancelled = "job.cancelled",
    StepQueued = "job.step.queued",
    StepInProgress = "job.step.in_progress",
    StepCompleted = "job.step.completed",
    StepFailed = "job.step.failed",
    StepSkipped = "job.step.skipped",
    StepCancelled = "job.step.cancelled",
    TranscriptSegment = "job.transcript.segment",
    TaskDelta = "job.task.delta",
}

impl EventType {
    pub fn of_job(status: JobStatus) -> Self {
        match status {
            JobStatus::Queued => Self::JobQueued,
            JobStatus::InProgress => Self::JobInProgress,
            JobStatus::Cancelling => Self::JobCancelling,
            JobStatus::Completed => Self::JobCompleted,
            JobStatus::Failed => Self::JobFailed,
            JobStatus::Cancelled => Self::JobCancelled,
        }
    }

    /// The event that reports a step's new status. Blocked steps are not reported.
    pub fn of_step(status: StepStatus) -> Option<Self> {
        match status {
            StepStatus::Blocked => None,
            StepStatus::Queued => Some(Self::StepQueued),
            StepStatus::InProgress => Some(Self::StepInProgress),
            StepStatus::Completed => Some(Self::StepCompleted),
            StepStatus::Failed => Some(Self::StepFailed),
            StepStatus::Cancelled => Some(Self::StepCancelled),
            StepStatus::Skipped => Some(Self::StepSkipped),
        }
    }

    /// Whether this is the last event of a job, after which the stream ends.
    pub fn is_terminal(self) -> bool {
        match self {
            Self::JobCompleted | Self::JobFailed | Self::JobCancelled => true,
            Self::JobQueued
            | Self::JobInProgress
            | Self::JobProgress
            | Self::JobCancelling
            | Self::StepQueued
            | Self::StepInProgress
            | Self::StepCompleted
            | Self::StepFailed
            | Self::StepSkipped
            | Self::StepCancelled
            | Self::TranscriptSegment
            | Self::TaskDelta => false,
        }
    }
}

/// One stored event. Its `data` does not include results and outputs; they are added when the event is read, so that
/// deleted content is also gone from events.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub id: EventId,
    pub job_id: JobId,
    pub sequence: i64,
    pub kind: EventType,
    pub created_at: Timestamp,
    pub step_id: Option<StepId>,
    pub data: JsonText,
}
