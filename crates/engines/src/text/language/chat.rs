//! A conversation of one question with a language model, wherever it runs.

use serde_json::Value;

use crate::{CallContext, EngineError, TextSink};

/// What is asked.
pub(crate) struct ChatRequest<'a> {
    pub(crate) system: &'a str,
    /// The text that the question is about. It comes first, so that several questions share what was read of it.
    pub(crate) shared: &'a str,
    pub(crate) question: String,
    pub(crate) format: AnswerFormat,
    pub(crate) max_output_tokens: u32,
    pub(crate) temperature: f64,
    /// `none` to `xhigh`; absent where the caller did not say.
    pub(crate) reasoning_effort: Option<String>,
}

impl ChatRequest<'_> {
    /// How long a model that reasons may do so; absent where it should not.
    pub(crate) fn thinking_tokens(&self) -> Option<usize> {
        match self.reasoning_effort.as_deref()? {
            "minimal" => Some(128),
            "low" => Some(512),
            "medium" => Some(2_048),
            "high" => Some(8_192),
            "xhigh" => Some(32_768),
            _ => None,
        }
    }
}

/// The shape of the answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AnswerFormat {
    Text,
    Json {
        name: String,
        schema: Value,
        /// Whether the model is held to the schema while it writes; else it is only told.
        constrained: bool,
    },
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FinishReason {
    Stop,
    /// The limit on its tokens was reached.
    Length,
}

impl FinishReason {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
        }
    }
}

/// What was answered.
#[derive(Debug)]
pub(crate) struct ChatAnswer {
    pub(crate) text: String,
    pub(crate) finish_reason: FinishReason,
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
    /// For debugging: the version of the model, timings, what was ignored.
    pub(crate) details: Value,
}

/// A model that answers questions: in this process or on another server.
pub(crate) trait ChatModel: Send + Sync {
    fn id(&self) -> &str;

    /// How much it reads and writes at once.
    fn context_tokens(&self) -> Result<usize, EngineError>;

    /// The tokens of a text, or a safe guess where the tokenizer is elsewhere.
    fn count_tokens(&self, text: &str) -> Result<usize, EngineError>;

    fn answer(
        &self,
        request: &ChatRequest<'_>,
        sink: &mut dyn TextSink,
        context: &CallContext,
    ) -> Result<ChatAnswer, EngineError>;
}

/// The JSON value of an answer. Models that are not held to it wrap it in a code fence or in words.
pub(crate) fn json_of(text: &str) -> Option<Value> {
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
    fn json_is_found_bare_fenced_and_in_words() {
        for text in
            ["{\"a\": 1}", "```json\n{\"a\": 1}\n```", "Here it is: {\"a\": 1}. Good?", " \n{\"a\":1}\n"]
        {
            assert_eq!(json_of(text), Some(json!({"a": 1})), "{text}");
        }
        assert_eq!(json_of("3"), Some(json!(3)));
        assert_eq!(json_of("no JSON {at all"), None);
    }
}
