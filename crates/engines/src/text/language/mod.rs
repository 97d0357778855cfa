//! Stages and tasks by a language model: prompts, schemas, windows, and answers checked against the transcript.

pub(crate) mod chat;
mod lines;
pub(crate) mod local;
mod quotes;
mod stages;
mod talk;
mod task;
mod windows;

use std::sync::Arc;

use self::chat::ChatModel;
use self::lines::Lines;
use self::quotes::Source;
use self::talk::Talk;
use super::{TextAnswer, TextOperation, TextRequest, TextTranscript};
use crate::{CallContext, EngineError, TextModel, TextSink};

/// Any chat model as a text model.
pub(crate) struct LanguageModel {
    pub(crate) chat: Arc<dyn ChatModel>,
}

/// The transcript as the stages read it.
struct Reading<'a> {
    transcript: &'a TextTranscript,
    lines: Lines,
    source: Source,
}

impl<'a> Reading<'a> {
    fn new(transcript: &'a TextTranscript) -> Self {
        Self { transcript, lines: Lines::of(transcript), source: Source::new(&transcript.text) }
    }
}

impl TextModel for LanguageModel {
    fn run(
        &self,
        request: &TextRequest,
        sink: &mut dyn TextSink,
        context: &CallContext,
    ) -> Result<TextAnswer, EngineError> {
        let mut talk = Talk::new(self.chat.as_ref(), context);
        let output = match &request.operation {
            TextOperation::Task(task) => task::run(&mut talk, task, sink)?,
            TextOperation::Chapters
            | TextOperation::Entities { .. }
            | TextOperation::Formatting
            | TextOperation::KeyPhrases
            | TextOperation::Sentiment { .. }
            | TextOperation::Summary { .. }
            | TextOperation::Topics => {
                stages::run(&mut talk, &request.operation, &Reading::new(&request.transcript))?
            }
        };
        // Language models are charged by the token; characters are what the built-in stages count.
        Ok(talk.into_answer(output))
    }
}
