//! Drafts: the stages and tasks of a request as steps, in request order, before they are sorted, priced and bound.

use serde::Serialize;
use serde_json::{Value, json};

use super::PlanInput;
use super::source::{Origin, Pointer, Products};
use crate::error::{ApiError, Checked, ErrorCode};
use crate::limits;
use crate::model::Capability;
use crate::request::{AnalysisRequest, Processing, Task};

/// A step on its way into the plan.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Draft<'a> {
    pub(super) key: String,
    pub(super) capability: Capability,
    pub(super) requested_model: Option<String>,
    /// Where a refusal of the model points.
    pub(super) model_param: String,
    pub(super) needs: Vec<Need>,
    /// What a task reads; a stage reads the transcript.
    pub(super) reads: Vec<Read<'a>>,
    pub(super) spec: Value,
}

/// A step that must complete first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Need {
    /// Its place among the drafts.
    pub(super) step: usize,
    /// The source that asks for it.
    pub(super) param: String,
}

/// Something that goes into a task's prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Read<'a> {
    TranscriptText,
    Transcript,
    Output(usize),
    Words(&'a str),
}

pub(super) fn of_analysis(request: &AnalysisRequest, input: PlanInput) -> Checked<Vec<Draft<'_>>> {
    let processing = &request.processing;
    let mut drafts: Vec<Draft<'_>> =
        processing.order.iter().flat_map(|part| drafts_of(processing, *part)).collect();
    let diarization = drafts.iter().position(|draft| draft.capability == Capability::Diarization);
    let keys: Vec<String> = drafts.iter().map(|draft| draft.key.clone()).collect();
    for draft in drafts.iter_mut().filter(|draft| is_later_stage(draft.capability)) {
        // Later stages see the utterances that diarization makes.
        draft.needs.extend(diarization.map(|step| Need { step, param: "processing.diarization".into() }));
    }
    let default = default_source(request, input);
    let tasks = drafts.iter_mut().filter(|draft| draft.capability == Capability::Task);
    for (index, (draft, task)) in tasks.zip(&processing.tasks).enumerate() {
        let sources = task.sources.clone().unwrap_or_else(|| vec![default.into()]);
        read_sources(draft, &sources, index, &Products::of(request), &keys)?;
    }
    Ok(drafts)
}

fn is_later_stage(capability: Capability) -> bool {
    !matches!(capability, Capability::Diarization | Capability::Task)
}

fn default_source(request: &AnalysisRequest, input: PlanInput) -> &'static str {
    let given = request.transcript.as_ref().is_some_and(|transcript| !transcript.utterances.is_empty());
    if given || input.has_utterances || request.processing.diarization.is_some() {
        "#/transcript/utterances"
    } else {
        "#/transcript/text"
    }
}

fn drafts_of(processing: &Processing, part: Capability) -> Vec<Draft<'_>> {
    let stage = match part {
        Capability::Diarization => processing.diarization.as_ref().map(spec),
        Capability::Chapters => processing.chapters.as_ref().map(spec),
        Capability::Entities => processing.entities.as_ref().map(spec),
        Capability::Formatting => processing.formatting.as_ref().map(spec),
        Capability::KeyPhrases => processing.key_phrases.as_ref().map(spec),
        Capability::Sentiment => processing.sentiment.as_ref().map(spec),
        Capability::Summary => processing.summary.as_ref().map(spec),
        Capability::Topics => processing.topics.as_ref().map(spec),
        Capability::Task => return processing.tasks.iter().enumerate().map(task_draft).collect(),
        Capability::Transcription => None,
    };
    stage.map(|spec| stage_draft(part, spec)).into_iter().collect()
}

fn spec(options: &impl Serialize) -> Value {
    // Options are strings, numbers and lists of them, which always serialise.
    serde_json::to_value(options).unwrap_or_else(|_| json!({}))
}

fn stage_draft(capability: Capability, spec: Value) -> Draft<'static> {
    let key = capability.as_str();
    let requested_model = spec["model"].as_str().map(str::to_owned);
    let field = if requested_model.is_some() { ".model" } else { "" };
    Draft {
        key: key.into(),
        capability,
        requested_model,
        model_param: format!("processing.{key}{field}"),
        needs: vec![],
        reads: vec![],
        spec,
    }
}

fn task_draft((index, task): (usize, &Task)) -> Draft<'_> {
    let spec = json!({
        "id": task.id,
        "instructions": task.instructions,
        "sources": [],
        "max_output_tokens": task.max_output_tokens.unwrap_or(limits::TASK_DEFAULT_OUTPUT_TOKENS),
        "temperature": task.temperature,
        "reasoning": task.reasoning,
        "text": {"format": task.format},
    });
    Draft {
        key: format!("tasks/{}", task.id),
        capability: Capability::Task,
        requested_model: Some(task.model.clone()),
        model_param: format!("processing.tasks[{index}].model"),
        needs: vec![],
        reads: task.instructions.as_deref().map(Read::Words).into_iter().collect(),
        spec,
    }
}

fn read_sources(
    draft: &mut Draft<'_>,
    sources: &[String],
    task: usize,
    products: &Products<'_>,
    keys: &[String],
) -> Checked<()> {
    for (index, source) in sources.iter().enumerate() {
        let param = format!("processing.tasks[{task}].sources[{index}]");
        let refuse = |why: String| {
            let message = format!("`{source}` points to nothing that this request produces: {why}.");
            ApiError::new(ErrorCode::InvalidSource, message).at(param.clone())
        };
        let pointer = Pointer::parse(source).ok_or_else(|| refuse("it is no pointer".into()))?;
        let origin = products.origin(&pointer).map_err(&refuse)?;
        add_read(draft, source, origin, keys, param);
    }
    draft.spec["sources"] = json!(sources);
    Ok(())
}

fn add_read(draft: &mut Draft<'_>, source: &str, origin: Origin, keys: &[String], param: String) {
    let step = match origin {
        Origin::Step(key) => keys.iter().position(|known| *known == key),
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
