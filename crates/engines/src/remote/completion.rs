//! What a server answers to a chat, whole or as a stream of events, read with tolerance.

use std::io::BufRead;

use auris_engine_core::EngineError;
use serde_json::Value;

/// The answer, put together.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Completion {
    pub(super) text: String,
    pub(super) reasoning: String,
    pub(super) finish_reason: Option<String>,
    /// Tokens read and written, where the server says.
    pub(super) usage: Option<(u64, u64)>,
    /// The model that answered, as the server names it.
    pub(super) model: Option<String>,
}

impl Completion {
    /// Reads an answer that came whole.
    pub(super) fn whole(answer: &Value) -> Result<Self, EngineError> {
        let message = &answer["choices"][0]["message"];
        if !message.is_object() {
            return Err(broken("its answer has no message"));
        }
        let mut completion = Self::default();
        completion.take(answer, message);
        completion.without_thought();
        Ok(completion)
    }

    /// Reads a stream to its end; each piece of text goes to `delta`, which may end it.
    pub(super) fn streamed(
        stream: impl BufRead,
        mut delta: impl FnMut(&str) -> Result<(), EngineError>,
    ) -> Result<Self, EngineError> {
        let mut completion = Self::default();
        let mut ended = false;
        for line in stream.lines() {
            let line = line.map_err(|error| broken(&error.to_string()))?;
            let Some(data) = line.strip_prefix("data:").map(str::trim) else { continue };
            if data == "[DONE]" {
                ended = true;
                break;
            }
            let event: Value = serde_json::from_str(data).map_err(|error| broken(&error.to_string()))?;
            if let Some(error) = event.get("error") {
                return Err(broken(error["message"].as_str().unwrap_or("it failed")));
            }
            let piece = event["choices"][0]["delta"]["content"].as_str().unwrap_or_default();
            completion.take(&event, &event["choices"][0]["delta"]);
            if !piece.is_empty() {
                delta(piece)?;
            }
        }
        if !ended && completion.finish_reason.is_none() {
            return Err(broken("the stream ended in the middle"));
        }
        completion.without_thought();
        Ok(completion)
    }

    fn take(&mut self, event: &Value, message: &Value) {
        self.text.push_str(message["content"].as_str().unwrap_or_default());
        let thought = message["reasoning_content"].as_str().or_else(|| message["reasoning"].as_str());
        self.reasoning.push_str(thought.unwrap_or_default());
        let text = |value: &Value| value.as_str().map(str::to_owned);
        self.finish_reason = text(&event["choices"][0]["finish_reason"]).or(self.finish_reason.take());
        self.model = text(&event["model"]).or(self.model.take());
        let usage = &event["usage"];
        self.usage = usage["prompt_tokens"].as_u64().zip(usage["completion_tokens"].as_u64()).or(self.usage);
    }

    /// Servers that do not take thoughts apart leave them at the start of the text.
    fn without_thought(&mut self) {
        if let Some((thought, answer)) = self.text.split_once("</think>") {
            self.reasoning.push_str(thought.trim_start().trim_start_matches("<think>").trim());
            self.text = answer.trim_start().to_owned();
        }
    }
}

fn broken(what: &str) -> EngineError {
    EngineError::Backend { message: format!("The model's server broke off: {what}."), transient: true }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_stream_is_put_together_with_its_usage() {
        let stream = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"He\"}}]}\n\n: ping\n\
            data: {\"choices\":[{\"delta\":{\"content\":\"llo\"},\"finish_reason\":\"length\"}],\"model\":\"m\"}\n\n\
            data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n";
        let mut heard = String::new();
        let completion = Completion::streamed(stream.as_bytes(), |piece| {
            heard.push_str(piece);
            Ok(())
        });
        let completion = completion.unwrap();
        assert_eq!((completion.text.as_str(), heard.as_str()), ("Hello", "Hello"));
        assert_eq!((completion.usage, completion.finish_reason.as_deref()), (Some((7, 2)), Some("length")));
    }

    #[test]
    fn a_cut_stream_and_an_error_in_it_are_failures() {
        let cut = "data: {\"choices\":[{\"delta\":{\"content\":\"He\"}}]}\n\n";
        assert!(Completion::streamed(cut.as_bytes(), |_| Ok(())).is_err());
        assert!(
            Completion::streamed("data: {\"error\":{\"message\":\"no\"}}\n".as_bytes(), |_| Ok(())).is_err()
        );
        assert!(Completion::whole(&json!({"choices": []})).is_err());
    }

    #[test]
    fn a_thought_in_the_text_is_taken_apart() {
        let message = json!({"choices": [{"message": {"content": "<think>\nhm\n</think>\n\nYes."}}]});
        let completion = Completion::whole(&message).unwrap();
        assert_eq!((completion.text.as_str(), completion.reasoning.as_str()), ("Yes.", "hm"));
    }
}
