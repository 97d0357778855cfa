//! Events of a job: their types, their envelope and what they are about.

use serde_json::{Value, json};

use crate::id::{EventId, JobId, StepId};
use crate::job::JobStatus;
use crate::step::StepStatus;
use crate::time::Timestamp;

macro_rules! event_types {
    ($($name:ident = $text:literal,)*) => {
        /// The `type` of an event.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum EventType { $($name,)* }

        impl EventType {
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$name),)* _ => None }
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

/// What an event's `data` shows, and so where its content is found when it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    Job,
    Step,
    /// The data itself is content and goes when the job's content is deleted.
    Content,
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

    /// The event that tells of a step's new status; none tells of a step that waits for others.
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

    pub fn subject(self) -> Subject {
        match self {
            Self::JobQueued
            | Self::JobInProgress
            | Self::JobProgress
            | Self::JobCancelling
            | Self::JobCompleted
            | Self::JobFailed
            | Self::JobCancelled => Subject::Job,
            Self::StepQueued
            | Self::StepInProgress
            | Self::StepCompleted
            | Self::StepFailed
            | Self::StepSkipped
            | Self::StepCancelled => Subject::Step,
            Self::TranscriptSegment | Self::TaskDelta => Subject::Content,
        }
    }

    /// After such an event the stream ends.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::JobCompleted | Self::JobFailed | Self::JobCancelled)
    }
}

/// One stored event. `data` holds no result and no output: those are put in when it is read, so that deleting them once is enough.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub id: EventId,
    pub job_id: JobId,
    pub sequence: i64,
    pub kind: EventType,
    pub created_at: Timestamp,
    pub step_id: Option<StepId>,
    pub data: Value,
}

impl Event {
    /// The envelope that the stream carries.
    pub fn envelope(&self) -> Value {
        json!({
            "id": self.id,
            "object": "job.event",
            "sequence": self.sequence,
            "type": self.kind.as_str(),
            "job_id": self.job_id,
            "created_at": self.created_at,
            "data": self.data,
        })
    }
}
