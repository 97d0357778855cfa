//! How a stage asks a model: how much text at once, and how long the answer may be.

use auris_domain::step::SchemaText;
use auris_engine_core::EngineError;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::chat::ChatModel;
use crate::conversation::{self, Conversation, JsonAnswer, JsonQuestion};
use crate::prepared_transcript::PreparedTranscript;
use crate::windows::{self, Window};

/// Maximum tokens of our own text around the transcript.
pub(super) const OWN_TOKENS: usize = 768;

/// The limits of a stage's questions.
pub(super) struct Stage {
    pub(super) name: &'static str,
    pub(super) answer_tokens: u32,
    pub(super) window_tokens: usize,
    pub(super) window_lines: usize,
}

impl Stage {
    /// A stage that reads as much text at once as fits.
    pub(super) const fn whole(name: &'static str, answer_tokens: u32) -> Self {
        Self { name, answer_tokens, window_tokens: usize::MAX, window_lines: usize::MAX }
    }

    pub(super) fn windows(
        &self,
        conversation: &Conversation<'_>,
        transcript: &PreparedTranscript<'_>,
    ) -> Result<Vec<Window>, EngineError> {
        self.windows_of(conversation.model, transcript)
    }

    pub(super) fn windows_of(
        &self,
        model: &dyn ChatModel,
        transcript: &PreparedTranscript<'_>,
    ) -> Result<Vec<Window>, EngineError> {
        let room = conversation::room(model, self.answer_tokens, OWN_TOKENS)?.min(self.window_tokens);
        windows::cut(&transcript.lines, model, room, self.window_lines)
    }

    /// Asks a question about a text. `T` must match the schema.
    pub(super) fn ask<T: DeserializeOwned>(
        &self,
        conversation: &mut Conversation<'_>,
        text: &str,
        question: &str,
        schema: Value,
    ) -> Result<T, EngineError> {
        let asked = StageQuestion { text, question, schema, flaw_of: &|_: &T| None };
        Ok(self.ask_plausible(conversation, &asked)?.answer)
    }

    /// As `ask`. An answer with a flaw is asked for once more, which the bound of a stage allows for.
    pub(super) fn ask_plausible<T: DeserializeOwned>(
        &self,
        conversation: &mut Conversation<'_>,
        asked: &StageQuestion<'_, T>,
    ) -> Result<JsonAnswer<T>, EngineError> {
        let shared = format!("{}\n", asked.text);
        let question = JsonQuestion {
            name: self.name,
            shared: &shared,
            question: asked.question.trim(),
            schema: SchemaText::of(&asked.schema),
            max_output_tokens: self.answer_tokens,
        };
        conversation.ask_json(&question, asked.flaw_of)
    }
}

/// A question of a stage about a text.
pub(super) struct StageQuestion<'a, T> {
    pub(super) text: &'a str,
    pub(super) question: &'a str,
    /// `T` must match it.
    pub(super) schema: Value,
    /// What is implausible about an answer; at most 300 bytes of it are used.
    pub(super) flaw_of: &'a dyn Fn(&T) -> Option<String>,
}
