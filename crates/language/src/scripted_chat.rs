//! A chat model for tests that gives the answers of a script, and counts a token per word.

use std::collections::VecDeque;

use auris_engine_core::{CallContext, EngineError, TextSink};
use parking_lot::Mutex;

use crate::answer_details::{AnswerDetails, Timings};
use crate::chat::{ChatAnswer, ChatModel, ChatRequest, FinishReason};

/// Answers with the texts of a script, in order.
#[derive(Default)]
pub(crate) struct ScriptedChat {
    answers: Mutex<VecDeque<String>>,
    questions: Mutex<Vec<String>>,
}

impl ScriptedChat {
    pub(crate) fn new(answers: &[String]) -> Self {
        Self { answers: Mutex::new(answers.iter().cloned().collect()), questions: Mutex::default() }
    }

    /// The questions so far.
    pub(crate) fn questions(&self) -> Vec<String> {
        self.questions.lock().clone()
    }
}

impl ChatModel for ScriptedChat {
    fn id(&self) -> &str {
        "scripted"
    }

    fn context_tokens(&self) -> Result<usize, EngineError> {
        Ok(16_384)
    }

    fn count_tokens(&self, text: &str) -> Result<usize, EngineError> {
        Ok(text.split_whitespace().count())
    }

    fn prompt_tokens(&self, request: &ChatRequest<'_>) -> Result<Option<u64>, EngineError> {
        let parts = [request.system, request.shared, &request.question];
        Ok(Some(parts.iter().map(|part| part.split_whitespace().count() as u64).sum()))
    }

    fn answer(
        &self,
        request: &ChatRequest<'_>,
        _: &mut dyn TextSink,
        _: &CallContext,
    ) -> Result<ChatAnswer, EngineError> {
        self.questions.lock().push(request.question.clone());
        let text = self.answers.lock().pop_front();
        let text = text.ok_or_else(|| EngineError::internal("the script has no further answer"))?;
        Ok(ChatAnswer {
            input_tokens: self.prompt_tokens(request)?.unwrap_or_default(),
            output_tokens: text.split_whitespace().count() as u64,
            text,
            finish_reason: FinishReason::Stop,
            details: AnswerDetails {
                model: "scripted".into(),
                version: None,
                timings: Timings::Remote { total_ms: 0 },
                usage: None,
                reasoning: None,
                constraint: None,
            },
        })
    }
}
