//! The step plan: which steps a request becomes, what each needs, which model runs it and what it can cost at most.

mod budget;
mod draft;
mod graph;
pub mod source;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use crate::error::Checked;
use crate::id::{JobId, StepId};
use crate::model::{Capability, Models, Rate};
use crate::money::Usd;
use crate::request::{AnalysisRequest, TranscriptionRequest};
use crate::step::{Step, StepStatus};
use crate::time::Millis;
use crate::usage::Units;
use draft::Draft;

/// A step before it has an id.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedStep {
    pub key: String,
    pub capability: Capability,
    pub requested_model: Option<String>,
    pub resolved_model: String,
    /// Ordinals, which are places in the plan.
    pub needs: Vec<i64>,
    pub rates: Vec<Rate>,
    pub cost_bound: Usd,
    /// The checked options, with `bound`: the units that `cost_bound` pays for, which the runner must keep to.
    pub spec: Value,
}

/// What the plan must know of the transcript and the audio.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlanInput {
    /// Characters of the transcript's text.
    pub characters: u64,
    /// The same text in bytes of UTF-8, which bounds its tokens.
    pub text_bytes: u64,
    /// The whole transcript as JSON, in bytes.
    pub document_bytes: u64,
    /// Whole seconds, rounded up, where there is audio.
    pub audio_seconds: Option<u64>,
    pub has_utterances: bool,
}

impl PlanInput {
    /// Measures the `transcript` part of a result document.
    pub fn of(transcript: &Value, audio_seconds: Option<u64>) -> Self {
        let text = transcript["text"].as_str().unwrap_or_default();
        let utterances = transcript["utterances"].as_array();
        Self {
            characters: text.chars().count() as u64,
            text_bytes: text.len() as u64,
            document_bytes: budget::json_bytes(transcript),
            audio_seconds,
            has_utterances: utterances.is_some_and(|items| !items.is_empty()),
        }
    }
}

/// Plans an analysis: steps in the order in which they can run, then in request order.
pub fn analysis(
    request: &AnalysisRequest,
    models: &Models,
    project_plan: &str,
    input: PlanInput,
) -> Checked<Vec<PlannedStep>> {
    let drafts = draft::of_analysis(request, input)?;
    let drafts = graph::sorted(drafts)?;
    let bounds = budget::bounds(&drafts, input);
    let planned = drafts.into_iter().zip(bounds);
    let planned: Checked<Vec<PlannedStep>> =
        planned.map(|(draft, bound)| plan_step(draft, bound, models, project_plan)).collect();
    let planned = planned?;
    budget::check_max_cost(&planned, request.processing.max_cost_usd)?;
    Ok(planned)
}

/// Plans a transcription: one step.
pub fn transcription(
    request: &TranscriptionRequest,
    models: &Models,
    project_plan: &str,
    audio_seconds: u64,
) -> Checked<Vec<PlannedStep>> {
    let draft = Draft {
        key: Capability::Transcription.as_str().into(),
        capability: Capability::Transcription,
        requested_model: Some(request.model.clone()),
        model_param: "model".into(),
        needs: vec![],
        reads: vec![],
        spec: json!({"language": request.primary_language(), "prompt": request.prompt}),
    };
    let bound = Units { audio_seconds, ..Units::default() };
    Ok(vec![plan_step(draft, bound, models, project_plan)?])
}

fn plan_step(draft: Draft<'_>, bound: Units, models: &Models, project_plan: &str) -> Checked<PlannedStep> {
    let model = models.resolve(draft.capability, draft.requested_model.as_deref(), &draft.model_param)?;
    models.check_plan(model, project_plan, &draft.model_param)?;
    let rates = model.rates(draft.capability);
    let mut spec = draft.spec;
    spec["bound"] = budget::as_json(bound);
    Ok(PlannedStep {
        key: draft.key,
        capability: draft.capability,
        requested_model: draft.requested_model,
        resolved_model: model.id.clone(),
        needs: draft.needs.iter().map(|need| need.step as i64).collect(),
        cost_bound: bound.cost(&rates),
        rates,
        spec,
    })
}

/// The units that a step's `cost_bound` pays for, from its spec.
pub fn bound_of(spec: &Value) -> Units {
    budget::from_json(&spec["bound"])
}

/// Makes the job's steps of a plan: those that need nothing are queued, the others blocked.
pub fn steps(planned: Vec<PlannedStep>, job_id: &JobId, now: Millis) -> Vec<Step> {
    let indexed = planned.into_iter().enumerate();
    indexed.map(|(ordinal, planned)| step(ordinal as i64, planned, job_id, now)).collect()
}

fn step(ordinal: i64, planned: PlannedStep, job_id: &JobId, now: Millis) -> Step {
    Step {
        id: StepId::generate(now),
        job_id: job_id.clone(),
        ordinal,
        key: planned.key,
        capability: planned.capability,
        status: if planned.needs.is_empty() { StepStatus::Queued } else { StepStatus::Blocked },
        requested_model: planned.requested_model,
        resolved_model: Some(planned.resolved_model),
        created_at: now.timestamp(),
        started_at: None,
        completed_at: None,
        error: None,
        usage: None,
        needs: planned.needs,
        rates: planned.rates,
        cost_bound: planned.cost_bound,
        spec: planned.spec,
        attempt: 0,
        losses: 0,
    }
}
