//! A step in the API.

use serde::Serialize;

use super::JsonText;
use crate::id::{JobId, StepId};
use crate::json_text::json_bytes;
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

/// The step without its output and response.
pub fn step(step: &Step) -> JsonText {
    JsonText::of(&StepWire::new(step, None, None))
}

/// The JSON of a step with its output and response, if it has them.
pub fn step_with_content(step: &Step, output: Option<&JsonText>, response: Option<&JsonText>) -> Vec<u8> {
    json_bytes(&StepWire::new(step, output, response))
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
            // A step that never ran has no model, although one was planned.
            resolved_model: step.started_at().map(|_| step.resolved_model()),
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

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::step::{StepDetails, StepRun, StepSpec, StepState, TextStage};
    use crate::time::Millis;

    fn step_with(run: StepRun) -> Step {
        let spec = StepSpec::Stage(TextStage::Topics);
        let details = StepDetails {
            id: StepId::generate(Millis(0)),
            job_id: JobId::generate(Millis(0)),
            ordinal: 0,
            key: spec.key(),
            requested_model: None,
            created_at: Timestamp(0),
            needs: vec![],
            rates: vec![],
            cost_bound: "0".parse().unwrap(),
            capability: spec.capability(),
            work: None,
        };
        Step::restore(details, run)
    }

    fn resolved_model(shown: &Step) -> Value {
        let shown: Value = serde_json::from_str(step(shown).as_str()).unwrap();
        shown["resolved_model"].clone()
    }

    #[test]
    fn a_step_that_has_not_started_has_no_resolved_model() {
        let shown = step_with(StepRun::new(&[], "model".into()));
        assert_eq!((shown.resolved_model(), resolved_model(&shown)), ("model", Value::Null));
        let started = step_with(StepRun {
            state: StepState::InProgress,
            resolved_model: "model".into(),
            started_at: Some(Timestamp(1)),
            attempt: 1,
            losses: 0,
            alone: false,
        });
        assert_eq!(resolved_model(&started), "model");
    }
}
