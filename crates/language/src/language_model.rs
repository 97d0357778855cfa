//! Any chat model as a text model.

use std::sync::Arc;

use auris_domain::step::StepOutput;
use auris_domain::usage::TokenBound;
use auris_engine_core::text::{TextAnswer, TextRequest, TextWork};
use auris_engine_core::{CallContext, EngineError, TextModel, TextSink};

use crate::chat::ChatModel;
use crate::conversation::Conversation;
use crate::prepared_transcript::PreparedTranscript;
use crate::{stages, task, task_bound};

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
        let output = match &request.work {
            TextWork::Task(task) => StepOutput::Task(task::run(&mut conversation, task, sink)?),
            TextWork::Stage(stage) => {
                let transcript = PreparedTranscript::new(&request.transcript);
                StepOutput::Stage(stages::run(&mut conversation, stage, &transcript)?)
            }
        };
        conversation.into_answer(output)
    }

    fn token_bound(
        &self,
        request: &TextRequest,
        unknown_tokens: u64,
    ) -> Result<Option<TokenBound>, EngineError> {
        let model = self.chat.as_ref();
        match &request.work {
            TextWork::Task(task) => task_bound::bound(model, task, unknown_tokens),
            TextWork::Stage(stage) => {
                stages::bound(model, stage, &PreparedTranscript::new(&request.transcript))
            }
        }
    }
}
