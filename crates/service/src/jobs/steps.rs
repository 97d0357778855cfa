//! Reads the steps of a job. Their outputs can be large, so memory is reserved for them first.

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::{JobId, StepId};
use auris_domain::wire::{self, JsonText};
use auris_store::StoredStep;
use bytes::Bytes;

use super::read_jobs::not_found;
use crate::access::compose;
use crate::error::Outcome;
use crate::{Caller, Service};

impl Service {
    /// All steps of a job as JSON. Fails if the caller has too many large responses.
    pub async fn list_steps(&self, caller: &Caller, job: &JobId) -> Outcome<Bytes> {
        let bytes = self.store().content_of_steps(caller.project_id(), job).await?;
        let memory = self.reserve_composing(caller, bytes).await?;
        let steps =
            self.store().steps(caller.project_id(), job).await?.ok_or_else(|| not_found(job, "jobId"))?;
        let write = |steps: Vec<StoredStep>| {
            wire::step_list(steps.iter().map(|stored| {
                let (output, response) = content(stored);
                (&stored.step, output, response)
            }))
        };
        compose(memory, steps, write).await
    }

    /// One step as JSON. Fails if the caller has too many large responses.
    pub async fn read_step(&self, caller: &Caller, job: &JobId, id: &StepId) -> Outcome<Bytes> {
        let bytes = self.store().content_of_step(caller.project_id(), job, id).await?;
        let memory = self.reserve_composing(caller, bytes).await?;
        let Some(step) = self.store().step(caller.project_id(), job, id).await? else {
            self.owned_job(caller, job).await?;
            let message = format!("The job `{job}` has no step `{id}`.");
            return Err(ApiError::new(ErrorCode::StepNotFound, message).at("stepId").into());
        };
        let write = |stored: StoredStep| {
            let (output, response) = content(&stored);
            wire::step_with_content(&stored.step, output, response)
        };
        compose(memory, step, write).await
    }
}

fn content(stored: &StoredStep) -> (Option<&JsonText>, Option<&JsonText>) {
    (stored.output.as_ref(), stored.response.as_ref())
}
