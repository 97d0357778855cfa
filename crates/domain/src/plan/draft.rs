//! Drafts: the stages and tasks of a request as steps, in request order, before they are sorted and priced.

use super::PlanInput;
use super::source::{Origin, Products};
use crate::error::{ApiError, Checked, ErrorCode};
use crate::model::Capability;
use crate::request::pointer::Pointer;
use crate::request::{AnalysisRequest, Processing, RequestedStep};
use crate::step::spec::{StepSpec, TaskSpec};

/// A step that is being planned.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Draft {
    pub(super) requested_model: Option<String>,
    /// The parameter that an error about the model names.
    pub(super) model_param: String,
    pub(super) needs: Vec<Need>,
    /// What a task reads; a stage reads the transcript.
    pub(super) reads: Vec<Read>,
    pub(super) spec: StepSpec,
}

/// A step that must complete first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Need {
    /// Its index among the drafts.
    pub(super) step: usize,
    /// The source that asks for it.
    pub(super) param: String,
}

/// A part of a task's prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Read {
    TranscriptText,
    Transcript,
    /// The output of the step with this index.
    Output(usize),
}

/// The context in which sources of tasks are resolved.
struct Sources<'a> {
    products: Products<'a>,
    keys: Vec<String>,
    default: &'static str,
}

pub(super) fn of_analysis(request: &AnalysisRequest, input: PlanInput) -> Checked<Vec<Draft>> {
    let processing = &request.processing;
    let mut drafts = drafts(processing);
    wait_for_diarization(&mut drafts);
    let sources = Sources {
        products: Products::of(request),
        keys: drafts.iter().map(|draft| draft.spec.key()).collect(),
        default: default_source(request, input),
    };
    let mut task = 0;
    for (draft, requested) in drafts.iter_mut().zip(&processing.steps) {
        if draft.spec.capability() == Capability::Task {
            sources.add_to(draft, requested.sources.as_deref(), task)?;
            task += 1;
        }
    }
    Ok(drafts)
}

fn drafts(processing: &Processing) -> Vec<Draft> {
    let mut tasks = 0;
    let mut drafts = Vec::with_capacity(processing.steps.len());
    for step in &processing.steps {
        let model_param = match &step.spec {
            StepSpec::Task(_) => format!("processing.tasks[{tasks}].model"),
            StepSpec::Transcription(_) | StepSpec::Diarization(_) | StepSpec::Stage(_) => stage_param(step),
        };
        tasks += usize::from(step.spec.capability() == Capability::Task);
        drafts.push(Draft {
            requested_model: step.model.clone(),
            model_param,
            needs: vec![],
            reads: vec![],
            spec: step.spec.clone(),
        });
    }
    drafts
}

fn stage_param(step: &RequestedStep) -> String {
    let field = if step.model.is_some() { ".model" } else { "" };
    format!("processing.{}{field}", step.spec.key())
}

/// Text stages read the utterances that a diarization makes, so they wait for it.
fn wait_for_diarization(drafts: &mut [Draft]) {
    let diarization = drafts.iter().position(|draft| draft.spec.capability() == Capability::Diarization);
    let Some(step) = diarization else { return };
    for draft in drafts {
        if let StepSpec::Stage(_) = draft.spec {
            draft.needs.push(Need { step, param: "processing.diarization".into() });
        }
    }
}

fn default_source(request: &AnalysisRequest, input: PlanInput) -> &'static str {
    let given = request.transcript.as_ref().is_some_and(|transcript| !transcript.utterances.is_empty());
    if given || input.has_utterances || request.processing.asks_for(Capability::Diarization) {
        "#/transcript/utterances"
    } else {
        "#/transcript/text"
    }
}

impl Sources<'_> {
    /// Resolves the sources of the task with this index, and adds what they read and need.
    fn add_to(&self, draft: &mut Draft, requested: Option<&[String]>, task: usize) -> Checked<()> {
        let sources = requested.map_or_else(|| vec![self.default.to_owned()], <[String]>::to_vec);
        for (index, source) in sources.iter().enumerate() {
            let param = format!("processing.tasks[{task}].sources[{index}]");
            let refuse = |reason: String| {
                let message =
                    format!("`{source}` does not point to anything that this request produces: {reason}.");
                ApiError::new(ErrorCode::InvalidSource, message).at(param.clone())
            };
            let pointer = Pointer::parse(source).ok_or_else(|| refuse("it is not a pointer".into()))?;
            let origin = self.products.origin(&pointer).map_err(&refuse)?;
            self.add_read(draft, source, origin, param);
        }
        if let StepSpec::Task(spec) = &mut draft.spec {
            **spec = TaskSpec { sources, ..TaskSpec::clone(spec) };
        }
        Ok(())
    }

    fn add_read(&self, draft: &mut Draft, source: &str, origin: Origin, param: String) {
        let step = match origin {
            Origin::Step(key) => self.keys.iter().position(|known| *known == key),
            Origin::Transcript => None,
        };
        let of_transcript = source.starts_with("#/transcript");
        draft.reads.push(match step {
            _ if source == "#/transcript/text" => Read::TranscriptText,
            Some(step) if !of_transcript => Read::Output(step),
            Some(_) | None => Read::Transcript,
        });
        if let Some(step) = step
            && draft.needs.iter().all(|need| need.step != step)
        {
            draft.needs.push(Need { step, param });
        }
    }
}
