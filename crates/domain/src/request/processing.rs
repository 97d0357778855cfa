//! The `processing` of an analysis: its stages, its tasks and the bounds on both.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::check::{Object, Path};
use super::read::{integer, list, one_of, string, text};
use super::task::{self, Task};
use crate::error::{Checked, ErrorCode};
use crate::job::FailurePolicy;
use crate::limits;
use crate::model::Capability;
use crate::money::{InvalidAmount, Usd, is_plain_decimal};

/// More than any job can cost.
const BOUNDLESS_USD: &str = "9999999999999999";

/// What an analysis is asked to do.
#[derive(Debug, Clone, PartialEq)]
pub struct Processing {
    pub diarization: Option<Diarization>,
    pub chapters: Option<Stage>,
    pub entities: Option<Entities>,
    pub formatting: Option<Stage>,
    pub key_phrases: Option<Stage>,
    pub sentiment: Option<Sentiment>,
    pub summary: Option<Summary>,
    pub topics: Option<Stage>,
    pub tasks: Vec<Task>,
    pub failure_policy: FailurePolicy,
    pub max_cost_usd: Option<Usd>,
    /// What was asked for, in the caller's order.
    pub order: Vec<Capability>,
}

/// A stage without options of its own: chapters, formatting, key phrases, topics.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stage {
    pub model: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diarization {
    pub model: Option<String>,
    pub min_speakers: Option<i64>,
    pub max_speakers: Option<i64>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entities {
    pub model: Option<String>,
    /// Absent: every type that the model knows.
    pub types: Option<Vec<String>>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sentiment {
    pub model: Option<String>,
    pub granularity: Granularity,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Granularity {
    #[default]
    Document,
    Utterance,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub model: Option<String>,
    #[serde(rename = "type")]
    pub kind: SummaryType,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SummaryType {
    #[default]
    Brief,
    Bullets,
    Detailed,
}

impl Processing {
    pub(super) fn read(path: &Path<'_>, value: Value) -> Checked<Self> {
        let mut object = Object::read(path, value)?;
        let order = object.names().filter_map(capability).collect();
        let processing = Self {
            diarization: object.optional("diarization", diarization)?,
            chapters: object.optional("chapters", stage)?,
            entities: object.optional("entities", entities)?,
            formatting: object.optional("formatting", stage)?,
            key_phrases: object.optional("key_phrases", stage)?,
            sentiment: object.optional("sentiment", sentiment)?,
            summary: object.optional("summary", summary)?,
            topics: object.optional("topics", stage)?,
            tasks: object.optional("tasks", task::list_of_tasks)?.unwrap_or_default(),
            failure_policy: object.optional("failure_policy", failure_policy)?.unwrap_or_default(),
            max_cost_usd: object.optional("max_cost_usd", amount)?,
            order,
        };
        object.finish()?;
        processing.check_not_empty(path)?;
        Ok(processing)
    }

    fn check_not_empty(&self, path: &Path<'_>) -> Checked<()> {
        let stages = self.order.iter().any(|capability| *capability != Capability::Task);
        if stages || !self.tasks.is_empty() {
            return Ok(());
        }
        let message = "`processing` asks for nothing: name at least one stage or task.";
        Err(path.refuse(ErrorCode::NothingToProcess, message))
    }
}

fn capability(name: &str) -> Option<Capability> {
    match name {
        "diarization" => Some(Capability::Diarization),
        "chapters" => Some(Capability::Chapters),
        "entities" => Some(Capability::Entities),
        "formatting" => Some(Capability::Formatting),
        "key_phrases" => Some(Capability::KeyPhrases),
        "sentiment" => Some(Capability::Sentiment),
        "summary" => Some(Capability::Summary),
        "topics" => Some(Capability::Topics),
        "tasks" => Some(Capability::Task),
        _ => None,
    }
}

pub(super) fn model(path: &Path<'_>, value: Value) -> Checked<String> {
    text(1..=limits::MODEL_CHARACTERS)(path, value)
}

fn stage(path: &Path<'_>, value: Value) -> Checked<Stage> {
    let mut object = Object::read(path, value)?;
    let stage = Stage { model: object.optional("model", model)? };
    object.finish()?;
    Ok(stage)
}

fn diarization(path: &Path<'_>, value: Value) -> Checked<Diarization> {
    let mut object = Object::read(path, value)?;
    let stage = Diarization {
        model: object.optional("model", model)?,
        min_speakers: object.optional("min_speakers", integer(1..=limits::SPEAKERS))?,
        max_speakers: object.optional("max_speakers", integer(1..=limits::SPEAKERS))?,
    };
    object.finish()?;
    if let (Some(least), Some(most)) = (stage.min_speakers, stage.max_speakers)
        && least > most
    {
        let message = format!("`min_speakers` is {least}, which is more than `max_speakers`, {most}.");
        return Err(path.field("min_speakers").refuse(ErrorCode::InvalidCombination, message));
    }
    Ok(stage)
}

fn entities(path: &Path<'_>, value: Value) -> Checked<Entities> {
    let mut object = Object::read(path, value)?;
    let one_type = text(1..=limits::ENTITY_TYPE_CHARACTERS);
    let stage = Entities {
        model: object.optional("model", model)?,
        types: object.optional("types", list(0..=limits::ENTITY_TYPES, one_type))?,
    };
    object.finish()?;
    Ok(stage)
}

fn sentiment(path: &Path<'_>, value: Value) -> Checked<Sentiment> {
    let mut object = Object::read(path, value)?;
    let values = [("document", Granularity::Document), ("utterance", Granularity::Utterance)];
    let stage = Sentiment {
        model: object.optional("model", model)?,
        granularity: object.optional("granularity", one_of(&values))?.unwrap_or_default(),
    };
    object.finish()?;
    Ok(stage)
}

fn summary(path: &Path<'_>, value: Value) -> Checked<Summary> {
    let mut object = Object::read(path, value)?;
    let values = [
        ("brief", SummaryType::Brief),
        ("bullets", SummaryType::Bullets),
        ("detailed", SummaryType::Detailed),
    ];
    let stage = Summary {
        model: object.optional("model", model)?,
        kind: object.optional("type", one_of(&values))?.unwrap_or_default(),
    };
    object.finish()?;
    Ok(stage)
}

fn failure_policy(path: &Path<'_>, value: Value) -> Checked<FailurePolicy> {
    let policies = [FailurePolicy::FailFast, FailurePolicy::ContinueIndependent];
    one_of(&policies.map(|policy| (policy.as_str(), policy)))(path, value)
}

/// An amount of the right shape that is too large for the type is as good as no bound.
fn amount(path: &Path<'_>, value: Value) -> Checked<Usd> {
    let text = string(path, value)?;
    let boundless = || BOUNDLESS_USD.parse().ok().filter(|_| is_plain_decimal(&text));
    text.parse().or_else(|error: InvalidAmount| {
        boundless()
            .ok_or_else(|| path.refuse(ErrorCode::InvalidValue, format!("`{path}` is no amount: {error}.")))
    })
}
