//! A step of a job: one stage or task, its status, its failure and its wire form.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{ApiError, ErrorType};
use crate::id::{JobId, StepId};
use crate::model::{Capability, Rate};
use crate::money::Usd;
use crate::time::Timestamp;
use crate::usage::Usage;

/// Where a step stands. Only `machine.rs` moves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
    pub const ALL: [Self; 7] = [
        Self::Blocked,
        Self::Queued,
        Self::InProgress,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
        Self::Skipped,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Blocked => "blocked",
            Self::Queued => "queued",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Skipped => "skipped",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    pub fn is_terminal(self) -> bool {
        match self {
            Self::Blocked | Self::Queued | Self::InProgress => false,
            Self::Completed | Self::Failed | Self::Cancelled | Self::Skipped => true,
        }
    }
}

/// Codes that only a step's error carries; the rest come from the API's own table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StepCode {
    Timeout,
    WorkerLost,
    BackendError,
    SchemaValidationFailed,
    OutputTruncated,
    SourceNotFound,
    DependencyFailed,
    FailFast,
    BudgetExceeded,
    Cancelled,
    InternalError,
}

impl StepCode {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::WorkerLost => "worker_lost",
            Self::BackendError => "backend_error",
            Self::SchemaValidationFailed => "schema_validation_failed",
            Self::OutputTruncated => "output_truncated",
            Self::SourceNotFound => "source_not_found",
            Self::DependencyFailed => "dependency_failed",
            Self::FailFast => "fail_fast",
            Self::BudgetExceeded => "budget_exceeded",
            Self::Cancelled => "cancelled",
            Self::InternalError => "internal_error",
        }
    }

    fn kind(self) -> ErrorType {
        match self {
            Self::Timeout
            | Self::WorkerLost
            | Self::BackendError
            | Self::SchemaValidationFailed
            | Self::OutputTruncated
            | Self::InternalError => ErrorType::ApiError,
            Self::SourceNotFound
            | Self::DependencyFailed
            | Self::FailFast
            | Self::BudgetExceeded
            | Self::Cancelled => ErrorType::InvalidRequestError,
        }
    }
}

/// Why a step did not complete, before it is known which step and which attempt it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    pub message: String,
    pub kind: ErrorType,
    pub param: Option<String>,
    pub code: String,
}

impl Cause {
    pub fn new(code: StepCode, message: impl Into<String>) -> Self {
        Self { message: message.into(), kind: code.kind(), param: None, code: code.as_str().into() }
    }
}

impl From<ApiError> for Cause {
    fn from(error: ApiError) -> Self {
        Self {
            message: error.message,
            kind: error.code.kind(),
            param: error.param,
            code: error.code.as_str().into(),
        }
    }
}

/// The `error` of a job or step: the API's error object and where it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub message: String,
    #[serde(rename = "type")]
    pub kind: ErrorType,
    pub param: Option<String>,
    pub code: String,
    pub step_id: StepId,
    pub step_key: String,
    pub attempts: i64,
}

/// A step without its content: output and response stand beside it, because they can be large.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub id: StepId,
    pub job_id: JobId,
    /// Its place in the step list: the order in which they can run, then request order.
    pub ordinal: i64,
    /// `transcription`, `summary`, … or `tasks/ID`.
    pub key: String,
    pub capability: Capability,
    pub status: StepStatus,
    pub requested_model: Option<String>,
    pub resolved_model: Option<String>,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    pub error: Option<Failure>,
    pub usage: Option<Usage>,
    /// Ordinals of the steps that must complete first.
    pub needs: Vec<i64>,
    /// The prices of the day the job was made; later changes of the catalogue leave it alone.
    pub rates: Vec<Rate>,
    /// What the step can cost at most.
    pub cost_bound: Usd,
    /// What the step was asked to do: the checked parameters of its stage or task.
    pub spec: Value,
    /// The fence: a finish with another attempt is refused.
    pub attempt: i64,
    /// How many workers died while running it.
    pub losses: i64,
}

#[derive(Serialize)]
struct StepWire<'a> {
    id: &'a StepId,
    object: &'static str,
    job_id: &'a JobId,
    key: &'a str,
    operation: Capability,
    status: StepStatus,
    requested_model: Option<&'a str>,
    resolved_model: Option<&'a str>,
    created_at: Timestamp,
    started_at: Option<Timestamp>,
    completed_at: Option<Timestamp>,
    output: Option<&'a Value>,
    response: Option<&'a Value>,
    error: Option<&'a Failure>,
    usage: Option<&'a Usage>,
    cost_usd: Option<Usd>,
}

impl Step {
    /// The step as the interface shows it.
    pub fn wire(&self, output: Option<&Value>, response: Option<&Value>) -> Value {
        let wire = StepWire {
            id: &self.id,
            object: "job.step",
            job_id: &self.job_id,
            key: &self.key,
            operation: self.capability,
            status: self.status,
            requested_model: self.requested_model.as_deref(),
            resolved_model: self.resolved_model.as_deref(),
            created_at: self.created_at,
            started_at: self.started_at,
            completed_at: self.completed_at,
            output,
            response,
            error: self.error.as_ref(),
            usage: self.usage.as_ref(),
            cost_usd: self.usage.as_ref().map(|usage| usage.cost_usd),
        };
        // Strings, integers and maps with string keys always serialise.
        serde_json::to_value(wire).unwrap_or(Value::Null)
    }

    pub(crate) fn fail_with(&mut self, cause: Cause) {
        self.error = Some(Failure {
            message: cause.message,
            kind: cause.kind,
            param: cause.param,
            code: cause.code,
            step_id: self.id.clone(),
            step_key: self.key.clone(),
            attempts: self.attempt,
        });
    }
}
