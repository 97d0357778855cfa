//! The response to a synchronous transcription, complete or streamed.

use serde::Serialize;

use super::JsonText;
use crate::transcript::Segment;

#[derive(Serialize)]
struct Transcription<'a> {
    text: &'a str,
    usage: DurationUsage,
}

#[derive(Serialize)]
struct DurationUsage {
    #[serde(rename = "type")]
    kind: &'static str,
    seconds: u64,
}

/// One message of a streamed transcription.
#[derive(Debug, Clone, Copy)]
pub enum StreamMessage<'a> {
    Delta(&'a str),
    Segment(&'a Segment),
    Done { text: &'a str, billed_seconds: u64 },
}

#[derive(Serialize)]
#[serde(tag = "type")]
enum MessageWire<'a> {
    #[serde(rename = "transcript.text.delta")]
    Delta { delta: &'a str },
    #[serde(rename = "transcript.text.segment")]
    Segment { id: u64, start: f64, end: f64, text: &'a str },
    #[serde(rename = "transcript.text.done")]
    Done { text: &'a str, usage: DurationUsage },
}

/// The complete response as JSON.
pub fn transcription(text: &str, billed_seconds: u64) -> JsonText {
    JsonText::of(&Transcription { text, usage: DurationUsage::new(billed_seconds) })
}

impl StreamMessage<'_> {
    /// The name of the server-sent event, which is also the message's `type`.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Delta(_) => "transcript.text.delta",
            Self::Segment(_) => "transcript.text.segment",
            Self::Done { .. } => "transcript.text.done",
        }
    }

    pub fn json(self) -> JsonText {
        JsonText::of(&match self {
            Self::Delta(delta) => MessageWire::Delta { delta },
            Self::Segment(segment) => MessageWire::Segment {
                id: segment.id,
                start: segment.start,
                end: segment.end,
                text: &segment.text,
            },
            Self::Done { text, billed_seconds } => {
                MessageWire::Done { text, usage: DurationUsage::new(billed_seconds) }
            }
        })
    }
}

impl DurationUsage {
    fn new(seconds: u64) -> Self {
        Self { kind: "duration", seconds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_messages_type_is_its_event_name() {
        let segment = Segment { id: 3, start: 0.5, end: 1.0, text: "Hi".into(), words: vec![] };
        let messages = [
            StreamMessage::Delta("a"),
            StreamMessage::Segment(&segment),
            StreamMessage::Done { text: "a", billed_seconds: 2 },
        ];
        for message in messages {
            let json = message.json();
            assert!(json.as_str().starts_with(&format!(r#"{{"type":"{}","#, message.kind())), "{json}");
        }
    }
}
