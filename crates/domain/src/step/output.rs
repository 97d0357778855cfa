//! The output of a completed step: its part of the result document.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::spec::{Granularity, SummaryType};
use crate::model::Capability;
use crate::transcript::Transcript;

pub use crate::transcript::{Diarization, Speaker, SpeakerTurn};

/// The output of a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum StepOutput {
    Transcript(Transcript),
    Diarization(Diarization),
    Stage(StageOutput),
    Task(TaskOutput),
}

/// The output of a stage that reads text.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum StageOutput {
    Chapters(Chapters),
    Entities(Entities),
    Formatting(Formatting),
    KeyPhrases(KeyPhrases),
    Sentiment(Sentiment),
    Summary(Summary),
    Topics(Topics),
}

impl StepOutput {
    /// Reads the stored output of a step with this capability.
    pub fn from_column(capability: Capability, text: &str) -> Result<Self, serde_json::Error> {
        match capability {
            Capability::Transcription => read(text, Self::Transcript),
            Capability::Diarization => read(text, Self::Diarization),
            Capability::Task => read(text, Self::Task),
            Capability::Chapters => read(text, |part| Self::Stage(StageOutput::Chapters(part))),
            Capability::Entities => read(text, |part| Self::Stage(StageOutput::Entities(part))),
            Capability::Formatting => read(text, |part| Self::Stage(StageOutput::Formatting(part))),
            Capability::KeyPhrases => read(text, |part| Self::Stage(StageOutput::KeyPhrases(part))),
            Capability::Sentiment => read(text, |part| Self::Stage(StageOutput::Sentiment(part))),
            Capability::Summary => read(text, |part| Self::Stage(StageOutput::Summary(part))),
            Capability::Topics => read(text, |part| Self::Stage(StageOutput::Topics(part))),
        }
    }
}

fn read<Part: DeserializeOwned>(
    text: &str,
    output: impl FnOnce(Part) -> StepOutput,
) -> Result<StepOutput, serde_json::Error> {
    serde_json::from_str(text).map(output)
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Chapters {
    pub chapters: Vec<Chapter>,
}

/// One chapter. Times are `None` if the transcript has no times; characters count Unicode scalar values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chapter {
    pub title: String,
    pub summary: String,
    pub start: Option<f64>,
    pub end: Option<f64>,
    pub start_char: usize,
    pub end_char: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Entities {
    pub entities: Vec<Entity>,
}

/// One mention of an entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entity {
    pub text: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub start_char: usize,
    pub end_char: usize,
    pub confidence: Option<f64>,
    pub start: Option<f64>,
}

/// The text with punctuation, capitals and paragraphs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Formatting {
    pub text: String,
    pub paragraphs: Vec<Paragraph>,
}

/// One paragraph, and the part of the transcript's text that it formats.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Paragraph {
    pub text: String,
    pub start_char: usize,
    pub end_char: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct KeyPhrases {
    pub key_phrases: Vec<KeyPhrase>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeyPhrase {
    pub text: String,
    pub score: f64,
    pub count: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sentiment {
    pub granularity: Granularity,
    pub document: SentimentScore,
    /// Empty unless the granularity is `utterance`.
    #[serde(default)]
    pub utterances: Vec<UtteranceSentiment>,
}

/// A label, and a score from -1 (negative) to 1 (positive).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SentimentScore {
    pub label: SentimentLabel,
    pub score: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SentimentLabel {
    Positive,
    Neutral,
    Negative,
}

/// The sentiment of one utterance. For a transcript without utterances it is a sentence with its position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UtteranceSentiment {
    pub index: usize,
    #[serde(flatten)]
    pub score: SentimentScore,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_char: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_char: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    #[serde(rename = "type")]
    pub kind: SummaryType,
    pub text: String,
    pub bullets: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Topics {
    pub topics: Vec<Topic>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Topic {
    pub label: String,
    pub score: f64,
}

/// A task's answer: the raw text, and the parsed value if a JSON schema was asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskOutput {
    pub text: String,
    pub json: Value,
}
