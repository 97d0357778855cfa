//! Text stages and tasks: requests, answers and the trait of their engines.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{CallContext, EngineError, TextSink};

/// Reads a transcript and runs a stage or a task on it.
pub trait TextModel: Send + Sync {
    /// Returns `Cancelled` soon after the context is cancelled.
    fn run(
        &self,
        request: &TextRequest,
        sink: &mut dyn TextSink,
        context: &CallContext,
    ) -> Result<TextAnswer, EngineError>;
}

/// The transcript that a stage reads. Only `text` is always present.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TextTranscript {
    pub text: String,
    pub language: Option<String>,
    /// The utterances, or the segments if there are no utterances, in order.
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
    /// The same request for a second attempt, with the error of the first answer.
    pub fn with_flaw(&self, flaw: String) -> Self {
        let mut again = self.clone();
        if let TextOperation::Task(task) = &mut again.operation {
            task.flaw = Some(flaw);
        }
        again
    }
}

/// The stage or task to run.
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

/// What one sentiment is computed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Granularity {
    #[default]
    Document,
    Utterance,
}

/// The length and form of a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SummaryKind {
    #[default]
    Brief,
    Bullets,
    Detailed,
}

/// A task with the caller's own instructions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TaskRequest {
    pub instructions: Option<String>,
    /// The inputs of the task, already resolved.
    pub sources: Vec<TaskSource>,
    pub max_output_tokens: Option<u32>,
    pub temperature: Option<f64>,
    /// One of the API's values from `none` to `xhigh`.
    pub reasoning_effort: Option<String>,
    pub format: TaskFormat,
    /// The error of the first answer, if this is the second attempt.
    pub flaw: Option<String>,
}

/// One input of a task: its JSON pointer and the value found there.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskSource {
    pub pointer: String,
    pub value: Value,
}

/// The format of a task's answer.
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

/// The answer of a text model.
#[derive(Debug, Clone, PartialEq)]
pub struct TextAnswer {
    /// The step's part of the result document.
    pub output: Value,
    /// The model's own response, for debugging: raw text, finish reason, version, timings.
    pub response: Value,
    pub resolved_model: String,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub characters: u64,
}
