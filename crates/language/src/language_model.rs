//! Any chat model as a text model.

use std::sync::Arc;

use auris_engine_core::text::{TextAnswer, TextOperation, TextRequest};
use auris_engine_core::{CallContext, EngineError, TextModel, TextSink};

use crate::chat::ChatModel;
use crate::conversation::Conversation;
use crate::prepared_transcript::PreparedTranscript;
use crate::{stages, task};

/// Runs stages and tasks with a chat model.
pub struct LanguageModel {
    pub chat: Arc<dyn ChatModel>,
}

impl TextModel for LanguageModel {
    fn run(
        &self,
        request: &TextRequest,
        sink: &mut dyn TextSink,
        context: &CallContext,
    ) -> Result<TextAnswer, EngineError> {
        let mut conversation = Conversation::new(self.chat.as_ref(), context);
        let output = match &request.operation {
            TextOperation::Task(task) => task::run(&mut conversation, task, sink)?,
            TextOperation::Chapters
            | TextOperation::Entities { .. }
            | TextOperation::Formatting
            | TextOperation::KeyPhrases
            | TextOperation::Sentiment { .. }
            | TextOperation::Summary { .. }
            | TextOperation::Topics => {
                let transcript = PreparedTranscript::new(&request.transcript);
                stages::run(&mut conversation, &request.operation, &transcript)?
            }
        };
        Ok(conversation.into_answer(output))
    }
}
