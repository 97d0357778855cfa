//! Text stages and tasks: requests, answers and the trait of their engines.

use std::sync::Arc;

use auris_domain::model::Capability;
use auris_domain::step::spec::TaskSpec;
use auris_domain::step::{StepOutput, TextStage};
use auris_domain::usage::TokenBound;
use serde_json::Value;

use crate::{CallContext, EngineError, TextSink};

pub use auris_domain::transcript::{TextTranscript, TextUtterance};

/// Reads a transcript and runs a stage or a task on it.
pub trait TextModel: Send + Sync {
    /// Returns `Cancelled` soon after the context is cancelled.
    fn run(
        &self,
        request: &TextRequest,
        sink: &mut dyn TextSink,
        context: &CallContext,
    ) -> Result<TextAnswer, EngineError>;

    /// The most tokens that a request can use, with the second attempt of an invalid answer. `unknown_tokens` is the most
    /// that further sources of a task have, which do not exist yet. `None` if the tokens cannot be counted here: the
    /// model has no tokens, its tokenizer is on another server, or the text is too long.
    fn token_bound(
        &self,
        _request: &TextRequest,
        _unknown_tokens: u64,
    ) -> Result<Option<TokenBound>, EngineError> {
        Ok(None)
    }
}

/// One call of a text model.
#[derive(Debug, Clone)]
pub struct TextRequest {
    pub work: TextWork,
    pub transcript: Arc<TextTranscript>,
}

impl TextRequest {
    /// The same request for a second attempt, with the error of the first answer.
    pub fn with_flaw(&self, flaw: String) -> Self {
        let mut again = self.clone();
        if let TextWork::Task(task) = &mut again.work {
            task.flaw = Some(flaw);
        }
        again
    }
}

/// The stage or task to run.
#[derive(Debug, Clone, PartialEq)]
pub enum TextWork {
    Stage(TextStage),
    Task(Box<TaskRequest>),
}

impl TextWork {
    /// The name of the stage; `task` for a task.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Stage(stage) => stage.capability().as_str(),
            Self::Task(_) => Capability::Task.as_str(),
        }
    }
}

/// A task with its inputs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TaskRequest {
    pub spec: TaskSpec,
    /// The inputs of the task, already resolved.
    pub sources: Vec<TaskSource>,
    /// The error of the first answer, if this is the second attempt.
    pub flaw: Option<String>,
}

/// One input of a task: its JSON pointer, and what it names as text for the model.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskSource {
    pub pointer: String,
    pub text: String,
}

/// The answer of a text model.
#[derive(Debug, Clone, PartialEq)]
pub struct TextAnswer {
    /// The step's part of the result document.
    pub output: StepOutput,
    /// The model's own response, for debugging: raw text, finish reason, version, timings.
    pub response: Value,
    /// Whether the token limit ended the last answer.
    pub truncated: bool,
    pub resolved_model: String,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub characters: u64,
}
