//! What a step is asked to do: the checked options of its stage or task.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::SchemaText;
use crate::model::Capability;

/// The work of one step.
#[derive(Debug, Clone, PartialEq)]
pub enum StepSpec {
    Transcription(TranscriptionSpec),
    Diarization(DiarizationSpec),
    Stage(TextStage),
    Task(Box<TaskSpec>),
}

impl StepSpec {
    pub fn capability(&self) -> Capability {
        match self {
            Self::Transcription(_) => Capability::Transcription,
            Self::Diarization(_) => Capability::Diarization,
            Self::Stage(stage) => stage.capability(),
            Self::Task(_) => Capability::Task,
        }
    }

    /// The `key` of the step: the stage's name, or `tasks/ID`.
    pub fn key(&self) -> String {
        match self {
            Self::Task(task) => format!("tasks/{}", task.id),
            Self::Transcription(_) | Self::Diarization(_) | Self::Stage(_) => {
                self.capability().as_str().to_owned()
            }
        }
    }
}

/// Options of a transcription.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranscriptionSpec {
    /// ISO 639-1 or BCP 47, of which only the first part is used. `None` means that the language is detected.
    pub language: Option<String>,
    /// Text that biases the spelling, if the model supports it.
    pub prompt: Option<String>,
}

/// Options of a diarization: the range for the number of speakers, inclusive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiarizationSpec {
    pub min_speakers: Option<u32>,
    pub max_speakers: Option<u32>,
}

/// A stage that reads the transcript's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextStage {
    Chapters,
    Entities(EntitiesSpec),
    Formatting,
    KeyPhrases,
    Sentiment(SentimentSpec),
    Summary(SummarySpec),
    Topics,
}

impl TextStage {
    pub fn capability(&self) -> Capability {
        match self {
            Self::Chapters => Capability::Chapters,
            Self::Entities(_) => Capability::Entities,
            Self::Formatting => Capability::Formatting,
            Self::KeyPhrases => Capability::KeyPhrases,
            Self::Sentiment(_) => Capability::Sentiment,
            Self::Summary(_) => Capability::Summary,
            Self::Topics => Capability::Topics,
        }
    }
}

/// Options of the entities stage.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntitiesSpec {
    /// The types to find; empty for every type that the model knows.
    #[serde(default, deserialize_with = "null_as_empty")]
    pub types: Vec<String>,
}

/// Options of the sentiment stage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentimentSpec {
    pub granularity: Granularity,
}

/// What the sentiment stage rates: the whole document, or also each utterance.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Granularity {
    #[default]
    Document,
    Utterance,
}

/// Options of the summary stage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummarySpec {
    #[serde(rename = "type")]
    pub kind: SummaryType,
}

/// The form of a summary.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum SummaryType {
    #[default]
    Brief,
    Bullets,
    Detailed,
}

/// A task: the caller's own instructions to a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TaskSpec {
    pub id: String,
    pub instructions: Option<String>,
    /// Pointers into the result document, such as `#/transcript/text`.
    pub sources: Vec<String>,
    pub max_output_tokens: u32,
    pub temperature: Option<f64>,
    pub reasoning: Option<Reasoning>,
    #[serde(rename = "text")]
    pub answer: TaskText,
}

/// The `text` of a task: the form of its answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskText {
    pub format: TextFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reasoning {
    pub effort: Effort,
}

/// How much a model should reason before it answers.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumString, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Effort {
    None,
    Minimal,
    Low,
    Medium,
    High,
    Xhigh,
}

impl Effort {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The form of a task's answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", try_from = "StoredFormat")]
pub enum TextFormat {
    #[default]
    Text,
    JsonSchema(JsonSchema),
}

/// The schema that a task's answer must match.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JsonSchema {
    pub name: String,
    pub schema: SchemaText,
    pub description: Option<String>,
    /// False only turns constrained decoding off. The answer must match the schema in any case.
    pub strict: bool,
}

/// The fields of all formats. With `#[serde(tag)]`, serde would first read everything into a tree of values, the schema too.
#[derive(Deserialize)]
struct StoredFormat {
    #[serde(rename = "type")]
    kind: FormatType,
    name: Option<String>,
    schema: Option<SchemaText>,
    description: Option<String>,
    strict: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum FormatType {
    Text,
    JsonSchema,
}

impl TryFrom<StoredFormat> for TextFormat {
    type Error = &'static str;

    fn try_from(stored: StoredFormat) -> Result<Self, Self::Error> {
        match (stored.kind, stored.name, stored.schema, stored.strict) {
            (FormatType::Text, ..) => Ok(Self::Text),
            (FormatType::JsonSchema, Some(name), Some(schema), Some(strict)) => {
                Ok(Self::JsonSchema(JsonSchema { name, schema, description: stored.description, strict }))
            }
            (FormatType::JsonSchema, ..) => Err("a format with a schema has no name, schema or strictness"),
        }
    }
}

fn null_as_empty<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
