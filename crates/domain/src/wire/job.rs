//! A job in the API.

use serde::Serialize;

use super::JsonText;
use crate::id::JobId;
use crate::job::{Job, JobState, JobStatus, Operation, Progress};
use crate::metadata::Metadata;
use crate::step::Failure;
use crate::time::Timestamp;
use crate::usage::Usage;

#[derive(Serialize)]
pub(super) struct JobWire<'a> {
    id: &'a JobId,
    object: &'static str,
    operation: Operation,
    status: JobStatus,
    created_at: Timestamp,
    started_at: Option<Timestamp>,
    completed_at: Option<Timestamp>,
    progress: Option<&'a Progress>,
    result: Option<&'a JsonText>,
    error: Option<&'a Failure>,
    usage: Option<&'a Usage>,
    metadata: &'a Metadata,
    expires_at: Timestamp,
    result_deleted_at: Option<Timestamp>,
}

/// The job with its result, if it has one.
pub fn job(job: &Job, result: Option<&JsonText>) -> JsonText {
    JsonText::of(&JobWire::new(job, result))
}

/// The job with this state, which may be earlier than its current one.
pub fn job_in_state(job: &Job, state: &JobState) -> JsonText {
    JsonText::of(&JobWire::in_state(job, state))
}

/// The job in a webhook: without progress and result, which the receiver can fetch.
pub fn job_without_content(job: &Job) -> JsonText {
    JsonText::of(&JobWire { progress: None, ..JobWire::new(job, None) })
}

impl<'a> JobWire<'a> {
    pub(super) fn new(job: &'a Job, result: Option<&'a JsonText>) -> Self {
        Self { result, ..Self::in_state(job, job.state()) }
    }

    fn in_state(job: &'a Job, state: &'a JobState) -> Self {
        Self {
            id: &job.id,
            object: "job",
            operation: job.operation,
            status: state.status(),
            created_at: job.created_at,
            started_at: job.started_at(),
            completed_at: state.ended_at(),
            progress: Some(&job.progress),
            result: None,
            error: state.error(),
            usage: state.usage(),
            metadata: &job.metadata,
            expires_at: job.expires_at,
            result_deleted_at: job.result_deleted_at,
        }
    }
}
