//! The plan of a request: its steps, what each needs, which model runs it and the most that it can cost.

mod budget;
mod draft;
mod graph;
mod source;
#[cfg(test)]
mod tests;

use crate::error::Checked;
use crate::id::{JobId, StepId};
use crate::json_length::json_length;
use crate::model::{Capability, Model, Models, Rate};
use crate::money::Usd;
use crate::request::{AnalysisRequest, TranscriptionRequest};
use crate::step::spec::{StepSpec, TranscriptionSpec};
use crate::step::{Step, StepRun, StepWork};
use crate::time::Millis;
use crate::transcript::SourceTranscript;
use crate::usage::Units;
use budget::StepBounds;
use draft::Draft;

pub use budget::{CountedStep, TokenCounter};

/// A step before it has an id.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedStep {
    pub requested_model: Option<String>,
    pub resolved_model: String,
    /// Ordinals: indices in the plan.
    pub needs: Vec<i64>,
    pub rates: Vec<Rate>,
    pub cost_bound: Usd,
    /// The units that `cost_bound` pays for.
    pub unit_bound: Units,
    pub spec: StepSpec,
}

/// The sizes of the transcript and the audio, for the cost bounds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlanInput {
    /// Characters of the transcript's text.
    pub characters: u64,
    /// The same text in bytes of UTF-8, which bounds its tokens.
    pub text_bytes: u64,
    /// The whole transcript as JSON, in bytes.
    pub document_bytes: u64,
    /// Whole seconds, rounded up, if there is audio.
    pub audio_seconds: Option<u64>,
    pub has_utterances: bool,
}

impl PlanInput {
    /// Measures a transcript.
    pub fn of(transcript: &SourceTranscript, audio_seconds: Option<u64>) -> Self {
        Self {
            characters: transcript.text.chars().count() as u64,
            text_bytes: transcript.text.len() as u64,
            document_bytes: json_length(transcript) as u64,
            audio_seconds,
            has_utterances: !transcript.utterances.is_empty(),
        }
    }
}

/// The models that a project can use.
#[derive(Clone, Copy)]
pub struct ModelChoice<'a> {
    pub models: &'a Models,
    pub project_plan: &'a str,
}

impl<'a> ModelChoice<'a> {
    /// The model for a step: the requested one or the default, if the project's plan includes it.
    pub fn resolve(
        &self,
        capability: Capability,
        requested: Option<&str>,
        param: &str,
    ) -> Checked<&'a Model> {
        let model = self.models.resolve(capability, requested, param)?;
        self.models.check_plan(model, self.project_plan, param)?;
        Ok(model)
    }
}

/// Plans an analysis: each step comes after those it needs, then in request order.
pub fn analysis(
    request: &AnalysisRequest,
    choice: ModelChoice<'_>,
    input: PlanInput,
    count: &TokenCounter<'_>,
) -> Checked<Vec<PlannedStep>> {
    let drafts = graph::sorted(draft::of_analysis(request, input)?)?;
    let mut bounds = StepBounds::new(&drafts, input, count);
    let mut planned = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let model = draft_model(&draft, choice)?;
        let bound = bounds.add(&draft, model);
        planned.push(plan_step(draft, bound, model));
    }
    budget::check_max_cost(&planned, request.processing.max_cost_usd)?;
    Ok(planned)
}

/// Checks the model of a transcription. This is possible before the audio has been read.
pub fn transcription_model<'a>(
    request: &TranscriptionRequest,
    choice: ModelChoice<'a>,
) -> Checked<&'a Model> {
    choice.resolve(Capability::Transcription, Some(&request.model), "model")
}

/// Plans a transcription: one step.
pub fn transcription(
    request: &TranscriptionRequest,
    choice: ModelChoice<'_>,
    audio_seconds: u64,
) -> Checked<Vec<PlannedStep>> {
    let spec = TranscriptionSpec { language: request.primary_language(), prompt: request.prompt.clone() };
    let draft = Draft {
        requested_model: Some(request.model.clone()),
        model_param: "model".into(),
        needs: vec![],
        reads: vec![],
        spec: StepSpec::Transcription(spec),
    };
    let bound = Units { audio_seconds, ..Units::default() };
    let model = draft_model(&draft, choice)?;
    Ok(vec![plan_step(draft, bound, model)])
}

fn draft_model<'a>(draft: &Draft, choice: ModelChoice<'a>) -> Checked<&'a Model> {
    choice.resolve(draft.spec.capability(), draft.requested_model.as_deref(), &draft.model_param)
}

fn plan_step(draft: Draft, unit_bound: Units, model: &Model) -> PlannedStep {
    let rates = model.rates(draft.spec.capability());
    PlannedStep {
        requested_model: draft.requested_model,
        resolved_model: model.id.clone(),
        needs: draft.needs.iter().map(|need| need.step as i64).collect(),
        cost_bound: unit_bound.cost(&rates),
        unit_bound,
        rates,
        spec: draft.spec,
    }
}

/// Makes the job's steps from a plan: those that need nothing are queued, the others are blocked.
pub fn steps(planned: Vec<PlannedStep>, job_id: &JobId, now: Millis) -> Vec<Step> {
    let indexed = planned.into_iter().enumerate();
    indexed.map(|(ordinal, planned)| step(ordinal as i64, planned, job_id, now)).collect()
}

fn step(ordinal: i64, planned: PlannedStep, job_id: &JobId, now: Millis) -> Step {
    Step {
        id: StepId::generate(now),
        job_id: job_id.clone(),
        ordinal,
        key: planned.spec.key(),
        requested_model: planned.requested_model,
        created_at: now.timestamp(),
        run: StepRun::new(&planned.needs, planned.resolved_model),
        needs: planned.needs,
        rates: planned.rates,
        cost_bound: planned.cost_bound,
        capability: planned.spec.capability(),
        work: Some(StepWork { spec: planned.spec, unit_bound: planned.unit_bound }),
    }
}
