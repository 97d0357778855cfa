//! What text models are asked and what they answer.

pub(crate) mod analyst;
pub(crate) mod language;

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;

/// A transcript as the stages read it. Only `text` is certain to be there.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TextTranscript {
    pub text: String,
    pub language: Option<String>,
    /// Utterances where there are any, else segments; texts in order, times where known.
    pub utterances: Vec<TextUtterance>,
}

/// One utterance or segment of the transcript.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TextUtterance {
    pub text: String,
    pub speaker: Option<String>,
    pub start: Option<f64>,
    pub end: Option<f64>,
}

/// One call of a text model.
#[derive(Debug, Clone)]
pub struct TextRequest {
    pub operation: TextOperation,
    pub transcript: Arc<TextTranscript>,
}

impl TextRequest {
    /// The same once more, with what was wrong with the first answer.
    pub fn with_flaw(&self, flaw: String) -> Self {
        let mut again = self.clone();
        if let TextOperation::Task(task) = &mut again.operation {
            task.flaw = Some(flaw);
        }
        again
    }
}

/// What is wanted of the text.
#[derive(Debug, Clone, PartialEq)]
pub enum TextOperation {
    Chapters,
    Entities { types: Vec<String> },
    Formatting,
    KeyPhrases,
    Sentiment { granularity: Granularity },
    Summary { kind: SummaryKind },
    Topics,
    Task(Box<TaskRequest>),
}

impl TextOperation {
    /// The step key of a stage; `task` for a task.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Chapters => "chapters",
            Self::Entities { .. } => "entities",
            Self::Formatting => "formatting",
            Self::KeyPhrases => "key_phrases",
            Self::Sentiment { .. } => "sentiment",
            Self::Summary { .. } => "summary",
            Self::Topics => "topics",
            Self::Task(_) => "task",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Granularity {
    #[default]
    Document,
    Utterance,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SummaryKind {
    #[default]
    Brief,
    Bullets,
    Detailed,
}

/// A task in the caller's own words.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TaskRequest {
    pub instructions: Option<String>,
    /// What the task reads, already looked up.
    pub sources: Vec<TaskSource>,
    pub max_output_tokens: Option<u32>,
    pub temperature: Option<f64>,
    /// `none` to `xhigh`, as the interface has it.
    pub reasoning_effort: Option<String>,
    pub format: TaskFormat,
    /// What was wrong with the first answer, where this is the second try.
    pub flaw: Option<String>,
}

/// One source of a task: where it was found and what is there.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskSource {
    pub pointer: String,
    pub value: Value,
}

/// The shape of a task's answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum TaskFormat {
    #[default]
    Text,
    JsonSchema {
        name: String,
        description: Option<String>,
        schema: Value,
        strict: bool,
    },
}

/// What a text model answered.
#[derive(Debug, Clone, PartialEq)]
pub struct TextAnswer {
    /// The step's part of the result document.
    pub output: Value,
    /// What the model itself said, for debugging: raw text, finish reason, version, timings.
    pub response: Value,
    pub resolved_model: String,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub characters: u64,
}
