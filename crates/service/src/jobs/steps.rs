//! Reads the steps of a job.

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::{JobId, StepId};
use auris_domain::wire::{self, JsonText};

use super::read_jobs::not_found;
use crate::error::Outcome;
use crate::{Caller, Service};

impl Service {
    pub async fn list_steps(&self, caller: &Caller, job: &JobId) -> Outcome<JsonText> {
        let steps =
            self.store().steps(caller.project_id(), job).await?.ok_or_else(|| not_found(job, "jobId"))?;
        let parts =
            steps.iter().map(|stored| (&stored.step, stored.output.as_ref(), stored.response.as_ref()));
        Ok(wire::step_list(parts))
    }

    pub async fn read_step(&self, caller: &Caller, job: &JobId, id: &StepId) -> Outcome<JsonText> {
        if let Some(stored) = self.store().step(caller.project_id(), job, id).await? {
            return Ok(wire::step(&stored.step, stored.output.as_ref(), stored.response.as_ref()));
        }
        self.owned_job(caller, job).await?;
        let message = format!("The job `{job}` has no step `{id}`.");
        Err(ApiError::new(ErrorCode::StepNotFound, message).at("stepId").into())
    }
}
