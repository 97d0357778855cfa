//! The stages with a language model. Each has a prompt file, a schema for the answer, and a check against the transcript.

mod chapters;
mod entities;
mod formatting;
mod key_phrases;
mod sentiment;
mod stage;
mod summary;
mod topics;

use auris_engine_core::EngineError;
use auris_engine_core::text::TextOperation;
use serde_json::Value;

use crate::conversation::Conversation;
use crate::prepared_transcript::PreparedTranscript;

pub(super) fn run(
    conversation: &mut Conversation<'_>,
    operation: &TextOperation,
    transcript: &PreparedTranscript<'_>,
) -> Result<Value, EngineError> {
    match operation {
        TextOperation::Chapters => chapters::run(conversation, transcript),
        TextOperation::Entities { types } => entities::run(conversation, transcript, types),
        TextOperation::Formatting => formatting::run(conversation, transcript),
        TextOperation::KeyPhrases => key_phrases::run(conversation, transcript),
        TextOperation::Sentiment { granularity } => sentiment::run(conversation, transcript, *granularity),
        TextOperation::Summary { kind } => summary::run(conversation, transcript, *kind),
        TextOperation::Topics => topics::run(conversation, transcript),
        TextOperation::Task(_) => Err(EngineError::internal("a task is not a stage")),
    }
}
