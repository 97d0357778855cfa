//! A step in the API.

use serde::Serialize;

use super::JsonText;
use crate::id::{JobId, StepId};
use crate::model::Capability;
use crate::money::Usd;
use crate::step::{Failure, Step, StepStatus};
use crate::time::Timestamp;
use crate::usage::Usage;

#[derive(Serialize)]
pub(super) struct StepWire<'a> {
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
    output: Option<&'a JsonText>,
    response: Option<&'a JsonText>,
    error: Option<&'a Failure>,
    usage: Option<&'a Usage>,
    cost_usd: Option<Usd>,
}

/// The step with its output and response, if it has them.
pub fn step(step: &Step, output: Option<&JsonText>, response: Option<&JsonText>) -> JsonText {
    JsonText::of(&StepWire::new(step, output, response))
}

impl<'a> StepWire<'a> {
    pub(super) fn new(step: &'a Step, output: Option<&'a JsonText>, response: Option<&'a JsonText>) -> Self {
        Self {
            id: &step.id,
            object: "job.step",
            job_id: &step.job_id,
            key: &step.key,
            operation: step.capability(),
            status: step.status(),
            requested_model: step.requested_model.as_deref(),
            resolved_model: step.resolved_model(),
            created_at: step.created_at,
            started_at: step.started_at(),
            completed_at: step.completed_at(),
            output,
            response,
            error: step.error(),
            usage: step.usage(),
            cost_usd: step.usage().map(|usage| usage.cost_usd),
        }
    }
}
