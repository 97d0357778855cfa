//! The `processing` of an analysis: its stages, its tasks and the limit on the cost.

use super::check::{Object, Path};
use super::read::{integer, list, one_of_variants, string, text};
use super::requested_step::{RequestedStep, model};
use super::task;
use crate::error::{Checked, ErrorCode};
use crate::job::FailurePolicy;
use crate::limits;
use crate::model::Capability;
use crate::money::{InvalidAmount, Usd, is_plain_decimal};
use crate::raw_json::RawJson;
use crate::step::spec::{
    DiarizationSpec, EntitiesSpec, Granularity, SentimentSpec, StepSpec, SummarySpec, SummaryType, TextStage,
};

/// A limit above the cost of any job.
const UNLIMITED_USD: &str = "9999999999999999";

/// What an analysis is asked to do.
#[derive(Debug, Clone, PartialEq)]
pub struct Processing {
    /// Stages and tasks in the caller's order.
    pub steps: Vec<RequestedStep>,
    pub failure_policy: FailurePolicy,
    pub max_cost_usd: Option<Usd>,
}

impl Processing {
    pub(super) fn read(path: &Path<'_>, value: RawJson<'_>) -> Checked<Self> {
        let mut object = Object::read(path, value)?;
        let order: Vec<Capability> = object.names().filter_map(capability_named).collect();
        let mut steps = Vec::new();
        for capability in stages() {
            steps.extend(object.optional(capability.as_str(), |path, value| stage(capability, path, value))?);
        }
        steps.extend(object.optional("tasks", task::list_of_tasks)?.unwrap_or_default());
        let position = |step: &RequestedStep| order.iter().position(|known| *known == step.spec.capability());
        steps.sort_by_key(position);
        let processing = Self {
            steps,
            failure_policy: object
                .optional("failure_policy", one_of_variants::<FailurePolicy>)?
                .unwrap_or_default(),
            max_cost_usd: object.optional("max_cost_usd", amount)?,
        };
        object.finish()?;
        if processing.steps.is_empty() {
            let message = "`processing` has no stage or task; add at least one.";
            return Err(path.refuse(ErrorCode::NothingToProcess, message));
        }
        Ok(processing)
    }

    pub fn asks_for(&self, capability: Capability) -> bool {
        self.steps.iter().any(|step| step.spec.capability() == capability)
    }
}

/// The stages, in the order in which they are checked.
fn stages() -> impl Iterator<Item = Capability> {
    std::iter::once(Capability::Diarization).chain(Capability::TEXT_STAGES)
}

fn capability_named(name: &str) -> Option<Capability> {
    if name == "tasks" {
        return Some(Capability::Task);
    }
    stages().find(|stage| stage.as_str() == name)
}

fn stage(capability: Capability, path: &Path<'_>, value: RawJson<'_>) -> Checked<RequestedStep> {
    let mut object = Object::read(path, value)?;
    let model = object.optional("model", model)?;
    let spec = match capability {
        Capability::Diarization => StepSpec::Diarization(diarization(&mut object)?),
        Capability::Chapters => StepSpec::Stage(TextStage::Chapters),
        Capability::Entities => StepSpec::Stage(TextStage::Entities(entities(&mut object)?)),
        Capability::Formatting => StepSpec::Stage(TextStage::Formatting),
        Capability::KeyPhrases => StepSpec::Stage(TextStage::KeyPhrases),
        Capability::Sentiment => StepSpec::Stage(TextStage::Sentiment(sentiment(&mut object)?)),
        Capability::Summary => StepSpec::Stage(TextStage::Summary(summary(&mut object)?)),
        Capability::Topics => StepSpec::Stage(TextStage::Topics),
        Capability::Transcription | Capability::Task => {
            return Err(path.refuse(ErrorCode::UnknownParameter, format!("`{path}` is not a stage.")));
        }
    };
    object.finish()?;
    if let StepSpec::Diarization(range) = &spec {
        check_speakers(path, range)?;
    }
    Ok(RequestedStep::stage(model, spec))
}

fn diarization(object: &mut Object<'_>) -> Checked<DiarizationSpec> {
    let speakers =
        |path: &Path<'_>, value| integer(1..=limits::SPEAKERS)(path, value).map(|count| count as u32);
    Ok(DiarizationSpec {
        min_speakers: object.optional("min_speakers", speakers)?,
        max_speakers: object.optional("max_speakers", speakers)?,
    })
}

fn check_speakers(path: &Path<'_>, range: &DiarizationSpec) -> Checked<()> {
    if let (Some(minimum), Some(maximum)) = (range.min_speakers, range.max_speakers)
        && minimum > maximum
    {
        let message = format!("`min_speakers` is {minimum}, which is more than `max_speakers`, {maximum}.");
        return Err(path.field("min_speakers").refuse(ErrorCode::InvalidCombination, message));
    }
    Ok(())
}

fn entities(object: &mut Object<'_>) -> Checked<EntitiesSpec> {
    let one_type = text(1..=limits::ENTITY_TYPE_CHARACTERS);
    let types = object.optional("types", list(0..=limits::ENTITY_TYPES, one_type))?;
    Ok(EntitiesSpec { types: types.unwrap_or_default() })
}

fn sentiment(object: &mut Object<'_>) -> Checked<SentimentSpec> {
    let granularity = object.optional("granularity", one_of_variants::<Granularity>)?;
    Ok(SentimentSpec { granularity: granularity.unwrap_or_default() })
}

fn summary(object: &mut Object<'_>) -> Checked<SummarySpec> {
    let kind = object.optional("type", one_of_variants::<SummaryType>)?;
    Ok(SummarySpec { kind: kind.unwrap_or_default() })
}

/// The limit on the cost. An amount that has the right form but is too large for the type means no limit.
fn amount(path: &Path<'_>, value: RawJson<'_>) -> Checked<Usd> {
    let text = string(path, value)?;
    let unlimited = || UNLIMITED_USD.parse().ok().filter(|_| is_plain_decimal(&text));
    text.parse().or_else(|error: InvalidAmount| {
        unlimited().ok_or_else(|| {
            path.refuse(ErrorCode::InvalidValue, format!("`{path}` is not an amount: {error}."))
        })
    })
}
