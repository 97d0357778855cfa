//! The tokenizer and the chat template of a GGUF file, without its weights: enough to count the tokens of a prompt.

use std::path::Path;
use std::sync::Arc;

use auris_engine_core::EngineError;

use super::gguf::Gguf;
use super::model_config::ModelConfig;
use super::template::{ChatTemplate, Messages, Prompt};
use super::vocabulary::Vocabulary;
use crate::chat::ChatRequest;

/// Maximum tokens of a conversation, even if the model supports more: longer ones need too much memory and time.
const MAX_CONTEXT: usize = 16_384;

/// How a model reads texts.
pub(super) struct LocalTokenizer {
    pub(super) vocabulary: Arc<Vocabulary>,
    pub(super) template: ChatTemplate,
    /// The maximum number of tokens of a prompt and its answer.
    pub(super) context: usize,
    /// The token that ends the reasoning, if the model reasons.
    pub(super) end_of_reasoning: Option<u32>,
}

impl LocalTokenizer {
    /// Reads the tokenizer of the GGUF file at `path`.
    pub(super) fn open(path: &Path) -> Result<Self, EngineError> {
        let file = Gguf::open(path)?;
        let context = ModelConfig::read(&file)?.context.min(MAX_CONTEXT);
        let vocabulary = Arc::new(Vocabulary::read(&file)?);
        let template = ChatTemplate::new(file.required_text("tokenizer.chat_template")?, &vocabulary)?;
        let end_of_reasoning = vocabulary.find("</think>").filter(|_| template.reasons);
        Ok(Self { vocabulary, template, context, end_of_reasoning })
    }

    /// Whether the model reasons before it answers this request.
    pub(super) fn reasons(&self, request: &ChatRequest<'_>) -> bool {
        self.end_of_reasoning.is_some() && request.thinking_tokens().is_some()
    }

    /// A request as the model reads it.
    pub(super) fn prompt(&self, request: &ChatRequest<'_>) -> Result<Prompt, EngineError> {
        let messages = Messages {
            system: request.system,
            shared: request.shared,
            question: &request.question,
            thinks: self.reasons(request),
        };
        self.template.prompt(&messages, &self.vocabulary)
    }
}
