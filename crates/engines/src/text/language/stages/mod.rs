//! The stages by a language model, each with a prompt file, a schema for the answer, and a check against the text.

mod chapters;
mod entities;
mod formatting;
mod key_phrases;
mod sentiment;
mod summary;
mod topics;

use serde_json::Value;

use super::Reading;
use super::talk::{JsonQuestion, Talk};
use super::windows::{self, Window};
use crate::EngineError;
use crate::text::{TaskRequest, TextOperation};

/// What the service's own words around a text take at most.
const OWN_TOKENS: usize = 768;

pub(super) fn run(
    talk: &mut Talk<'_>,
    operation: &TextOperation,
    reading: &Reading<'_>,
) -> Result<Value, EngineError> {
    match operation {
        TextOperation::Chapters => chapters::run(talk, reading),
        TextOperation::Entities { types } => entities::run(talk, reading, types),
        TextOperation::Formatting => formatting::run(talk, reading),
        TextOperation::KeyPhrases => key_phrases::run(talk, reading),
        TextOperation::Sentiment { granularity } => sentiment::run(talk, reading, *granularity),
        TextOperation::Summary { kind } => summary::run(talk, reading, *kind),
        TextOperation::Topics => topics::run(talk, reading),
        TextOperation::Task(task) => Err(no_stage(task)),
    }
}

fn no_stage(_: &TaskRequest) -> EngineError {
    EngineError::internal("a task is no stage")
}

/// How a stage reads: its prompt's answer, and how much of the text at once.
struct Stage {
    name: &'static str,
    answer_tokens: u32,
    window_tokens: usize,
    window_lines: usize,
}

impl Stage {
    /// One that reads as much as fits.
    const fn whole(name: &'static str, answer_tokens: u32) -> Self {
        Self { name, answer_tokens, window_tokens: usize::MAX, window_lines: usize::MAX }
    }

    fn windows(&self, talk: &Talk<'_>, reading: &Reading<'_>) -> Result<Vec<Window>, EngineError> {
        let room = talk.room(self.answer_tokens, OWN_TOKENS)?.min(self.window_tokens);
        windows::cut(&reading.lines, talk.model, room, self.window_lines)
    }

    fn ask(
        &self,
        talk: &mut Talk<'_>,
        text: &str,
        question: &str,
        schema: Value,
    ) -> Result<Value, EngineError> {
        let shared = format!("{text}\n");
        let asked = JsonQuestion {
            name: self.name,
            shared: &shared,
            question: question.trim(),
            schema,
            max_output_tokens: self.answer_tokens,
        };
        talk.ask_json(&asked)
    }
}
