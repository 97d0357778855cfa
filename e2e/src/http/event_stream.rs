//! Reads server-sent events from an answer while it arrives.

use reqwest::Response;
use serde_json::Value;

use super::Reply;
use crate::contract::contract;

/// One event of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub id: Option<String>,
    pub kind: String,
    pub data: String,
}

/// A stream whose status and headers follow the contract.
pub struct EventStream {
    pub head: Reply,
    response: Response,
    unread: Vec<u8>,
}

impl Event {
    /// The data as JSON; panics if it is not JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap_or_else(|error| panic!("{error}: {}", self.data))
    }

    /// The event's number in its job.
    #[track_caller]
    pub fn number(&self) -> u64 {
        let id = self.id.as_deref().unwrap_or_default();
        id.parse().unwrap_or_else(|_| panic!("the event has no number: {self:?}"))
    }

    fn parse(block: &str) -> Option<Self> {
        let mut id = None;
        let mut kind = "message".to_owned();
        let mut data = Vec::new();
        for line in block.lines() {
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match name {
                "id" => id = Some(value.to_owned()),
                "event" => value.clone_into(&mut kind),
                "data" => data.push(value),
                // A comment, which keeps the connection open, or a field that the tests do not use.
                _ => {}
            }
        }
        let data = data.join("\n");
        (!data.is_empty()).then_some(Self { id, kind, data })
    }
}

/// All events of a finished stream's text.
pub fn parse_stream(text: &str) -> Vec<Event> {
    text.split("\n\n").filter_map(Event::parse).collect()
}

impl EventStream {
    pub(crate) fn new(head: Reply, response: Response) -> Self {
        Self { head, response, unread: Vec::new() }
    }

    /// The next event, or `None` at the end of the stream. Panics if the connection breaks or times out.
    pub async fn next(&mut self) -> Option<Event> {
        let next = self.try_next().await;
        next.unwrap_or_else(|error| panic!("{}: {error:?}", self.head))
    }

    /// The same for a server that may stop in the meantime.
    pub async fn try_next(&mut self) -> Result<Option<Event>, reqwest::Error> {
        loop {
            if let Some(block) = self.take_block() {
                match Event::parse(&block) {
                    Some(event) => return Ok(Some(checked(event))),
                    None => continue,
                }
            }
            let Some(chunk) = self.response.chunk().await? else { return Ok(None) };
            self.unread.extend_from_slice(&chunk);
        }
    }

    /// Everything up to the end.
    pub async fn rest(mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }

    fn take_block(&mut self) -> Option<String> {
        let end = self.unread.windows(2).position(|pair| pair == b"\n\n")?;
        let block: Vec<u8> = self.unread.drain(..end + 2).collect();
        Some(String::from_utf8(block).expect("a stream is UTF-8"))
    }
}

// Events of a job and of a streamed transcription have different schemas.
fn checked(event: Event) -> Event {
    let schema = match event.kind.as_str() {
        "transcript.text.delta" => "TranscriptTextDelta",
        "transcript.text.segment" => "TranscriptTextSegment",
        "transcript.text.done" => "TranscriptTextDone",
        "error" => "Error",
        kind if kind.starts_with("job.") => "JobEvent",
        _ => return event,
    };
    let schema = contract().schema(schema).expect("the contract has the schema");
    let data = event.json();
    let errors = contract().schema_errors(schema, &data);
    assert!(errors.is_empty(), "{event:?}: {}", errors.join("; "));
    if event.kind.starts_with("job.") {
        assert_eq!(data["type"], event.kind.as_str(), "{event:?}");
        assert_eq!(data["sequence"], event.number(), "{event:?}");
    }
    event
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_skipped_and_fields_are_read() {
        let events = parse_stream(": hello\n\nid: 3\nevent: job.queued\ndata: {\"a\":\ndata: 1}\n\n");
        assert_eq!(events.len(), 1);
        assert_eq!(events[0].number(), 3);
        assert_eq!(events[0].kind, "job.queued");
        assert_eq!(events[0].json()["a"], 1);
    }
}
