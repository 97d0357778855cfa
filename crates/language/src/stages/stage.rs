//! How a stage asks a model: how much text at once, and how long the answer may be.

use auris_engine_core::EngineError;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::chat::ChatModel;
use crate::conversation::{self, Conversation, JsonQuestion};
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
        let shared = format!("{text}\n");
        let question = JsonQuestion {
            name: self.name,
            shared: &shared,
            question: question.trim(),
            schema,
            max_output_tokens: self.answer_tokens,
        };
        serde_json::from_value(conversation.ask_json(&question)?).map_err(EngineError::internal)
    }
}
