//! A job: one durable piece of work, its state and its progress.

mod state;

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::id::{ArtifactId, JobId, ProjectId};
use crate::metadata::Metadata;
use crate::money::Usd;
use crate::step::Failure;
use crate::time::Timestamp;
use crate::usage::Usage;

pub use state::{JobState, JobStatus};

/// The kind of work a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Operation {
    Transcription,
    Analysis,
}

impl Operation {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What a failed step does to the rest of its job.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum FailurePolicy {
    #[default]
    FailFast,
    ContinueIndependent,
}

impl FailurePolicy {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What the steps of a job need to know of the request, beyond their own specs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobRequest {
    /// The recording of another job, which an analysis works on. A transcription works on its own upload.
    pub audio_artifact: Option<ArtifactId>,
}

/// The `progress` of a job. `percent` never decreases and is 100 only for a completed job. A job that fails or is
/// cancelled keeps what it had reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    pub percent: u8,
    /// The number of the project's jobs ahead of this one. Computed when the job is created or read; no column has it.
    pub queue_position: Option<u64>,
    pub completed_steps: u64,
    pub total_steps: u64,
    pub current_steps: Vec<String>,
    pub audio_seconds_processed: Option<f64>,
    pub audio_seconds_total: Option<f64>,
}

/// A job without its result, which is stored beside it because it can be large. Its state can be read by everybody and
/// changed only by the state machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    pub id: JobId,
    pub project_id: ProjectId,
    pub operation: Operation,
    pub created_at: Timestamp,
    pub progress: Progress,
    pub metadata: Metadata,
    pub expires_at: Timestamp,
    pub result_deleted_at: Option<Timestamp>,
    pub failure_policy: FailurePolicy,
    pub max_cost_usd: Option<Usd>,
    pub webhook_url: Option<String>,
    pub(crate) run: JobRun,
}

/// Everything of a job except its state.
#[derive(Debug, Clone, PartialEq)]
pub struct JobDetails {
    pub id: JobId,
    pub project_id: ProjectId,
    pub operation: Operation,
    pub created_at: Timestamp,
    pub progress: Progress,
    pub metadata: Metadata,
    pub expires_at: Timestamp,
    pub result_deleted_at: Option<Timestamp>,
    pub failure_policy: FailurePolicy,
    pub max_cost_usd: Option<Usd>,
    pub webhook_url: Option<String>,
}

/// The part of a job that changes while it runs. A `Job` keeps it private, so that only the state machine changes it
/// there.
#[derive(Debug, Clone, PartialEq)]
pub struct JobRun {
    pub state: JobState,
    pub started_at: Option<Timestamp>,
}

impl Job {
    /// A new job that no worker has started.
    pub fn queued(details: JobDetails) -> Self {
        Self::restore(details, JobRun { state: JobState::Queued, started_at: None })
    }

    /// The job that the store has recorded.
    pub fn restore(details: JobDetails, run: JobRun) -> Self {
        Self {
            id: details.id,
            project_id: details.project_id,
            operation: details.operation,
            created_at: details.created_at,
            progress: details.progress,
            metadata: details.metadata,
            expires_at: details.expires_at,
            result_deleted_at: details.result_deleted_at,
            failure_policy: details.failure_policy,
            max_cost_usd: details.max_cost_usd,
            webhook_url: details.webhook_url,
            run,
        }
    }

    pub fn status(&self) -> JobStatus {
        self.run.state.status()
    }

    pub fn state(&self) -> &JobState {
        &self.run.state
    }

    pub fn started_at(&self) -> Option<Timestamp> {
        self.run.started_at
    }

    pub fn completed_at(&self) -> Option<Timestamp> {
        self.run.state.ended_at()
    }

    pub fn error(&self) -> Option<&Failure> {
        self.run.state.error()
    }

    pub fn usage(&self) -> Option<&Usage> {
        self.run.state.usage()
    }
}
