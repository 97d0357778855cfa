//! Steps of a job, as their owner reads them.

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::{JobId, StepId};
use auris_store::StoredStep;
use serde_json::{Value, json};

use crate::error::Outcome;
use crate::jobs::not_found;
use crate::{Caller, Service};

impl Service {
    pub async fn list_steps(&self, caller: &Caller, job: &JobId) -> Outcome<Value> {
        let steps =
            self.store.steps(caller.project_id(), job).await?.ok_or_else(|| not_found(job, "jobId"))?;
        let last_id = steps.last().map(|stored| stored.step.id.clone());
        let data: Vec<Value> = steps.iter().map(wire).collect();
        Ok(json!({"object": "list", "data": data, "has_more": false, "last_id": last_id}))
    }

    pub async fn read_step(&self, caller: &Caller, job: &JobId, id: &StepId) -> Outcome<Value> {
        if let Some(stored) = self.store.step(caller.project_id(), job, id).await? {
            return Ok(wire(&stored));
        }
        self.owned_job(caller, job).await?;
        let message = format!("The job `{job}` has no step `{id}`.");
        Err(ApiError::new(ErrorCode::StepNotFound, message).at("stepId").into())
    }
}

fn wire(stored: &StoredStep) -> Value {
    stored.step.wire(stored.output.as_ref(), stored.response.as_ref())
}
