//! A streamed transcription.

use auris_engine_core::EngineError;
use serde::Deserialize;

use super::event_reader::{EventReader, broken};
use super::server_error::ServerError;

/// One event; only those with a new piece of the text or an error matter.
#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    delta: String,
    error: Option<ServerError>,
}

impl Event {
    fn is_delta(&self) -> bool {
        self.kind.as_deref() == Some("transcript.text.delta")
    }
}

/// Reads the stream to its end and returns the whole text. Each piece goes to `delta`.
pub(super) async fn read(
    mut events: EventReader,
    mut delta: impl FnMut(&str),
) -> Result<String, EngineError> {
    let mut text = String::new();
    while let Some(event) = events.next::<Event>().await? {
        if let Some(error) = &event.error {
            return Err(broken(error.message().unwrap_or("it failed")));
        }
        if event.is_delta() {
            text.push_str(&event.delta);
            delta(&event.delta);
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::super::event_reader::events_of;
    use super::*;

    #[tokio::test]
    async fn deltas_are_joined_and_other_events_are_skipped() {
        let stream = "event: x\ndata: {\"type\":\"transcript.text.delta\",\"delta\":\"Hel\"}\n\n: comment\n\
                      data: {\"type\":\"transcript.text.delta\",\"delta\":\"lo\"}\n\n\
                      data: {\"type\":\"transcript.text.done\",\"text\":\"Hello\"}\n\ndata: [DONE]\n\n";
        let mut deltas = Vec::new();
        let text = read(events_of(stream), |delta| deltas.push(delta.to_owned())).await.unwrap();
        assert_eq!(text, "Hello");
        assert_eq!(deltas, ["Hel", "lo"]);
    }

    #[tokio::test]
    async fn an_error_in_the_stream_fails_the_call() {
        let failed = read(events_of("data: {\"error\": {\"message\": \"no\"}}\n\n"), |_| {}).await;
        assert!(failed.unwrap_err().to_string().contains("no"));
    }
}
