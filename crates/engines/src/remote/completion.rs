//! A server's answer to a chat, whole or as a stream. Fields of an unexpected type are ignored.

use auris_engine_core::EngineError;
use serde::Deserialize;

use super::event_reader::{EventReader, broken};
use super::lenient::lenient;
use super::server_error::ServerError;

/// The complete answer.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Completion {
    pub(super) text: String,
    pub(super) reasoning: String,
    pub(super) finish_reason: Option<String>,
    /// `None` if the server does not report it.
    pub(super) usage: Option<TokenCounts>,
    /// The model that answered, as the server names it.
    pub(super) model: Option<String>,
}

/// Tokens read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) struct TokenCounts {
    #[serde(rename = "prompt_tokens")]
    pub(super) input: u64,
    #[serde(rename = "completion_tokens")]
    pub(super) output: u64,
}

/// A whole answer, or one event of a stream.
#[derive(Debug, Deserialize)]
pub(super) struct Chunk {
    #[serde(default, deserialize_with = "lenient")]
    choices: Option<Vec<Choice>>,
    #[serde(default, deserialize_with = "lenient")]
    model: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    usage: Option<TokenCounts>,
    error: Option<ServerError>,
}

#[derive(Debug, Deserialize)]
struct Choice {
    #[serde(default, alias = "delta", deserialize_with = "lenient")]
    message: Option<Message>,
    #[serde(default, deserialize_with = "lenient")]
    finish_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Message {
    #[serde(default, deserialize_with = "lenient")]
    content: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    reasoning_content: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    reasoning: Option<String>,
}

impl Completion {
    /// Reads an answer that came whole.
    pub(super) fn whole(answer: Chunk) -> Result<Self, EngineError> {
        let mut completion = Self::default();
        if completion.add(answer).is_none() {
            return Err(broken("its answer has no message"));
        }
        completion.split_reasoning();
        Ok(completion)
    }

    /// Reads a stream to its end. Each piece of the text goes to `delta`.
    pub(super) async fn streamed(
        mut events: EventReader,
        mut delta: impl FnMut(&str),
    ) -> Result<Self, EngineError> {
        let mut completion = Self::default();
        while let Some(chunk) = events.next::<Chunk>().await? {
            if let Some(error) = &chunk.error {
                return Err(broken(error.message().unwrap_or("it failed")));
            }
            if let Some(piece) = completion.add(chunk).filter(|piece| !piece.is_empty()) {
                delta(&piece);
            }
        }
        if !events.is_done() && completion.finish_reason.is_none() {
            return Err(broken("the stream ended in the middle"));
        }
        completion.split_reasoning();
        Ok(completion)
    }

    /// Adds a chunk and returns its piece of the text; `None` if it has no message.
    fn add(&mut self, chunk: Chunk) -> Option<String> {
        self.model = chunk.model.or(self.model.take());
        self.usage = chunk.usage.or(self.usage);
        let choice = chunk.choices?.into_iter().next()?;
        self.finish_reason = choice.finish_reason.or(self.finish_reason.take());
        let message = choice.message?;
        self.reasoning.push_str(&message.reasoning_content.or(message.reasoning).unwrap_or_default());
        let piece = message.content.unwrap_or_default();
        self.text.push_str(&piece);
        Some(piece)
    }

    /// Some servers leave the reasoning at the start of the text.
    fn split_reasoning(&mut self) {
        if let Some((reasoning, answer)) = self.text.split_once("</think>") {
            self.reasoning.push_str(reasoning.trim_start().trim_start_matches("<think>").trim());
            self.text = answer.trim_start().to_owned();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::event_reader::events_of;
    use super::*;

    fn whole(answer: Value) -> Result<Completion, EngineError> {
        Completion::whole(serde_json::from_value(answer).unwrap())
    }

    #[tokio::test]
    async fn a_stream_becomes_one_answer_with_its_usage() {
        let stream = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"He\"}}]}\n\n: ping\n\
            data: {\"choices\":[{\"delta\":{\"content\":\"llo\"},\"finish_reason\":\"length\"}],\"model\":\"m\"}\n\n\
            data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n";
        let mut deltas = String::new();
        let completion =
            Completion::streamed(events_of(stream), |piece| deltas.push_str(piece)).await.unwrap();
        assert_eq!((completion.text.as_str(), deltas.as_str()), ("Hello", "Hello"));
        assert_eq!(completion.usage, Some(TokenCounts { input: 7, output: 2 }));
        assert_eq!(completion.finish_reason.as_deref(), Some("length"));
    }

    #[tokio::test]
    async fn a_stream_that_breaks_off_or_reports_an_error_fails() {
        let cut = "data: {\"choices\":[{\"delta\":{\"content\":\"He\"}}]}\n\n";
        assert!(Completion::streamed(events_of(cut), |_| {}).await.is_err());
        let failed = "data: {\"error\":{\"message\":\"no\"}}\n\n";
        assert!(Completion::streamed(events_of(failed), |_| {}).await.is_err());
    }

    #[test]
    fn an_answer_without_a_message_fails_and_odd_fields_are_ignored() {
        assert!(whole(json!({"choices": []})).is_err());
        let odd = json!({"choices": [{"message": {"content": "Yes.", "reasoning": {}}, "finish_reason": 1}],
            "usage": {"prompt_tokens": 7}, "model": null});
        let expected = Completion { text: "Yes.".into(), ..Completion::default() };
        assert_eq!(whole(odd).unwrap(), expected);
    }

    #[test]
    fn reasoning_in_the_text_is_split_off() {
        let completion =
            whole(json!({"choices": [{"message": {"content": "<think>\nhm\n</think>\n\nYes."}}]})).unwrap();
        assert_eq!((completion.text.as_str(), completion.reasoning.as_str()), ("Yes.", "hm"));
    }
}
