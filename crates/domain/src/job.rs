//! A job: one durable execution, its status and its wire form.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{JobId, ProjectId, StepId};
use crate::metadata::Metadata;
use crate::money::Usd;
use crate::step::Failure;
use crate::time::Timestamp;
use crate::usage::Usage;

/// The kind of work a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    Transcription,
    Analysis,
}

impl Operation {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Transcription => "transcription",
            Self::Analysis => "analysis",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Transcription, Self::Analysis].into_iter().find(|operation| operation.as_str() == text)
    }
}

/// Where a job stands. Only `machine.rs` moves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobStatus {
    Queued,
    InProgress,
    Cancelling,
    Completed,
    Failed,
    Cancelled,
}

impl JobStatus {
    pub const ALL: [Self; 6] =
        [Self::Queued, Self::InProgress, Self::Cancelling, Self::Completed, Self::Failed, Self::Cancelled];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::InProgress => "in_progress",
            Self::Cancelling => "cancelling",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    pub fn is_terminal(self) -> bool {
        match self {
            Self::Queued | Self::InProgress | Self::Cancelling => false,
            Self::Completed | Self::Failed | Self::Cancelled => true,
        }
    }
}

/// What a failed step does to the rest of its job.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailurePolicy {
    #[default]
    FailFast,
    ContinueIndependent,
}

impl FailurePolicy {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FailFast => "fail_fast",
            Self::ContinueIndependent => "continue_independent",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::FailFast, Self::ContinueIndependent].into_iter().find(|policy| policy.as_str() == text)
    }
}

/// The `progress` of a job. `percent` never goes down and is 100 only when the job completed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    pub percent: u8,
    /// Jobs ahead of this one; told when the job is read, never stored.
    pub queue_position: Option<u64>,
    pub completed_steps: u64,
    pub total_steps: u64,
    pub current_steps: Vec<String>,
    pub audio_seconds_processed: Option<f64>,
    pub audio_seconds_total: Option<f64>,
}

/// A job without its content: the result stands beside it, because it can be large.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    pub id: JobId,
    pub project_id: ProjectId,
    pub operation: Operation,
    pub status: JobStatus,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    pub progress: Progress,
    pub error: Option<Failure>,
    pub usage: Option<Usage>,
    pub metadata: Metadata,
    pub expires_at: Timestamp,
    pub result_deleted_at: Option<Timestamp>,
    pub failure_policy: FailurePolicy,
    pub max_cost_usd: Option<Usd>,
    pub webhook_url: Option<String>,
}

/// A failed step as `result.errors` lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultError {
    pub step_id: StepId,
    pub step_key: String,
    pub code: String,
    pub message: String,
}

#[derive(Serialize)]
struct JobWire<'a> {
    id: &'a JobId,
    object: &'static str,
    operation: Operation,
    status: JobStatus,
    created_at: Timestamp,
    started_at: Option<Timestamp>,
    completed_at: Option<Timestamp>,
    progress: Option<&'a Progress>,
    result: Option<&'a Value>,
    error: Option<&'a Failure>,
    usage: Option<&'a Usage>,
    metadata: &'a Metadata,
    expires_at: Timestamp,
    result_deleted_at: Option<Timestamp>,
}

impl Job {
    /// The job as the interface shows it, with the result that the place calls for.
    pub fn wire(&self, result: Option<&Value>) -> Value {
        self.render(Some(&self.progress), result)
    }

    /// The job as a webhook carries it: small, the receiver reads the rest.
    pub fn wire_for_webhook(&self) -> Value {
        self.render(None, None)
    }

    fn render(&self, progress: Option<&Progress>, result: Option<&Value>) -> Value {
        let wire = JobWire {
            id: &self.id,
            object: "job",
            operation: self.operation,
            status: self.status,
            created_at: self.created_at,
            started_at: self.started_at,
            completed_at: self.completed_at,
            progress,
            result,
            error: self.error.as_ref(),
            usage: self.usage.as_ref(),
            metadata: &self.metadata,
            expires_at: self.expires_at,
            result_deleted_at: self.result_deleted_at,
        };
        // Strings, integers and maps with string keys always serialise.
        serde_json::to_value(wire).unwrap_or(Value::Null)
    }
}
