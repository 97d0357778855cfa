//! The size of steps' content, which decides how much memory is reserved before it is read.

use auris_domain::id::{JobId, ProjectId, StepId};

use crate::error::StoreError;
use crate::sql::{args, statements};
use crate::store::Store;

/// Content up to this number of bytes is read and parsed on the caller's thread, and needs no memory limit.
pub(crate) const SMALL_CONTENT_BYTES: i64 = 64 * 1024;

statements! {
    CONTENT_OF_STEPS = "SELECT CAST(COALESCE(SUM(octet_length(output) + octet_length(response)), 0) AS BIGINT) AS bytes
        FROM jobs JOIN step_outputs ON step_outputs.job_id = jobs.id
        WHERE jobs.id = $1 AND jobs.project_id = $2";
    CONTENT_OF_STEP = "SELECT CAST(octet_length(output) + octet_length(response) AS BIGINT) AS bytes FROM jobs
        JOIN steps ON steps.job_id = jobs.id
        JOIN step_outputs ON step_outputs.job_id = steps.job_id AND step_outputs.ordinal = steps.ordinal
        WHERE jobs.id = $1 AND jobs.project_id = $2 AND steps.id = $3";
}

impl Store {
    /// The bytes of the outputs and responses of a job's steps.
    pub async fn content_of_steps(&self, project: &ProjectId, job: &JobId) -> Result<u64, StoreError> {
        let row = self.database().row(&CONTENT_OF_STEPS, args![job, project]).await?;
        row.map_or(Ok(0), |row| row.count("bytes"))
    }

    /// The bytes of the output and response of one step.
    pub async fn content_of_step(
        &self,
        project: &ProjectId,
        job: &JobId,
        step: &StepId,
    ) -> Result<u64, StoreError> {
        let row = self.database().row(&CONTENT_OF_STEP, args![job, project, step]).await?;
        row.map_or(Ok(0), |row| row.count("bytes"))
    }
}
