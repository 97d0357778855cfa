//! One question to a language model, in this process or on a server.

use auris_domain::step::SchemaText;
use auris_domain::step::spec::Effort;
use auris_engine_core::{CallContext, EngineError, TextSink};
use serde::Serialize;
use serde_json::Value;

use crate::answer_details::AnswerDetails;

/// A question.
pub struct ChatRequest<'a> {
    pub system: &'a str,
    /// The text that the question is about. It comes first, so that several questions share the work of reading it.
    pub shared: &'a str,
    pub question: String,
    pub format: AnswerFormat,
    pub max_output_tokens: u32,
    pub temperature: f64,
    /// `None` if the caller did not set it.
    pub reasoning_effort: Option<Effort>,
}

impl ChatRequest<'_> {
    /// Maximum reasoning tokens; `None` if the model should not reason.
    pub fn thinking_tokens(&self) -> Option<usize> {
        match self.reasoning_effort? {
            Effort::None => None,
            Effort::Minimal => Some(128),
            Effort::Low => Some(512),
            Effort::Medium => Some(2_048),
            Effort::High => Some(8_192),
            Effort::Xhigh => Some(32_768),
        }
    }
}

/// The format of the answer.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerFormat {
    Text,
    Json {
        name: String,
        schema: SchemaText,
        /// Whether decoding is constrained to the schema; otherwise the schema is only in the prompt.
        constrained: bool,
    },
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    Stop,
    /// The token limit was reached.
    Length,
}

/// The answer to a question.
#[derive(Debug)]
pub struct ChatAnswer {
    pub text: String,
    pub finish_reason: FinishReason,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub details: AnswerDetails,
}

/// A model that answers questions: in this process or on another server.
pub trait ChatModel: Send + Sync {
    fn id(&self) -> &str;

    /// Maximum tokens of a prompt and its answer together.
    fn context_tokens(&self) -> Result<usize, EngineError>;

    /// The number of tokens of a text, or an upper estimate if the tokenizer is not available.
    fn count_tokens(&self, text: &str) -> Result<usize, EngineError>;

    /// The exact number of tokens of a request's prompt; `None` if the tokenizer is not available.
    fn prompt_tokens(&self, request: &ChatRequest<'_>) -> Result<Option<u64>, EngineError>;

    fn answer(
        &self,
        request: &ChatRequest<'_>,
        sink: &mut dyn TextSink,
        context: &CallContext,
    ) -> Result<ChatAnswer, EngineError>;
}

/// The JSON value in an answer. Unconstrained models wrap it in a code fence or in sentences.
pub fn json_of(text: &str) -> Option<Value> {
    let text = text.trim();
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    let fenced = text.split("```").nth(1).map(|inside| inside.strip_prefix("json").unwrap_or(inside).trim());
    if let Some(value) = fenced.and_then(|inside| serde_json::from_str(inside).ok()) {
        return Some(value);
    }
    let start = text.find(['{', '['])?;
    let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
    values.next()?.ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_found_in_a_code_fence_and_in_sentences() {
        for text in
            ["{\"a\": 1}", "```json\n{\"a\": 1}\n```", "Here it is: {\"a\": 1}. Good?", " \n{\"a\":1}\n"]
        {
            assert_eq!(json_of(text), Some(json!({"a": 1})), "{text}");
        }
        assert_eq!(json_of("3"), Some(json!(3)));
        assert_eq!(json_of("no JSON {at all"), None);
    }
}
