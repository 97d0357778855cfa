//! Deletes the content of a finished job and keeps its record.

use auris_domain::artifact::ArtifactStatus;
use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::JobId;
use auris_store::DeleteOutcome;

use super::read_jobs::not_found;
use crate::error::Outcome;
use crate::{Caller, Service};

impl Service {
    /// Deletes everything that the job retained; its record stays.
    pub async fn delete_content(&self, caller: &Caller, id: &JobId) -> Outcome<()> {
        let now = self.clock().now();
        let outcome =
            self.store().delete_content(caller.project_id(), id, now, ArtifactStatus::Deleted).await?;
        match outcome {
            DeleteOutcome::NotFound => Err(not_found(id, "jobId").into()),
            DeleteOutcome::NotFinished => Err(not_finished(id).into()),
            DeleteOutcome::Deleted(blobs) => Ok(self.blobs().delete(&blobs).await?),
        }
    }
}

fn not_finished(id: &JobId) -> ApiError {
    let message = format!("The job `{id}` is not finished; cancel it first, or wait for its end.");
    ApiError::new(ErrorCode::JobNotFinished, message).at("jobId")
}
