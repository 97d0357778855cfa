//! The stages with a language model. Each has a prompt file, a schema for the answer, and a check against the transcript.

mod bound;
mod chapters;
mod entities;
mod formatting;
mod key_phrases;
mod plausibility;
mod sentiment;
mod stage;
mod summary;
#[cfg(test)]
mod tests;
mod topics;

use auris_domain::step::{StageOutput, TextStage};
use auris_engine_core::EngineError;

use crate::conversation::Conversation;
use crate::prepared_transcript::PreparedTranscript;

pub(crate) use bound::bound;

pub(super) fn run(
    conversation: &mut Conversation<'_>,
    stage: &TextStage,
    transcript: &PreparedTranscript<'_>,
) -> Result<StageOutput, EngineError> {
    Ok(match stage {
        TextStage::Chapters => StageOutput::Chapters(chapters::run(conversation, transcript)?),
        TextStage::Entities(spec) => {
            StageOutput::Entities(entities::run(conversation, transcript, &spec.types)?)
        }
        TextStage::Formatting => StageOutput::Formatting(formatting::run(conversation, transcript)?),
        TextStage::KeyPhrases => StageOutput::KeyPhrases(key_phrases::run(conversation, transcript)?),
        TextStage::Sentiment(spec) => {
            StageOutput::Sentiment(sentiment::run(conversation, transcript, spec.granularity)?)
        }
        TextStage::Summary(spec) => StageOutput::Summary(summary::run(conversation, transcript, spec.kind)?),
        TextStage::Topics => StageOutput::Topics(topics::run(conversation, transcript)?),
    })
}
