//! Reads the server-sent events of a streamed answer.

use std::fmt::Display;

use auris_engine_core::EngineError;
use eventsource_stream::Eventsource;
use futures::stream::{LocalBoxStream, Stream, StreamExt};
use serde::de::DeserializeOwned;

/// The data of the event that ends a stream of an OpenAI-compatible server.
const DONE: &str = "[DONE]";

/// The events of one answer.
pub(super) struct EventReader {
    /// The data of each event, or why the stream broke.
    events: LocalBoxStream<'static, Result<String, String>>,
    is_done: bool,
}

impl EventReader {
    pub(super) fn new<Bytes, Error>(body: impl Stream<Item = Result<Bytes, Error>> + 'static) -> Self
    where
        Bytes: AsRef<[u8]> + 'static,
        Error: Display + 'static,
    {
        let events = body.eventsource().map(|event| match event {
            Ok(event) => Ok(event.data),
            Err(error) => Err(error.to_string()),
        });
        Self { events: events.boxed_local(), is_done: false }
    }

    /// The next event; `None` after the last one.
    pub(super) async fn next<Event: DeserializeOwned>(&mut self) -> Result<Option<Event>, EngineError> {
        let Some(data) = self.events.next().await else { return Ok(None) };
        let data = data.map_err(|error| broken(&error))?;
        if data.trim() == DONE {
            self.is_done = true;
            return Ok(None);
        }
        serde_json::from_str(&data).map(Some).map_err(|error| broken(&error.to_string()))
    }

    /// Whether the server ended the stream, rather than the connection.
    pub(super) fn is_done(&self) -> bool {
        self.is_done
    }
}

/// The answer ended before it was complete.
pub(super) fn broken(reason: &str) -> EngineError {
    EngineError::Backend { message: format!("The model's server stopped early: {reason}."), transient: true }
}

/// A body that arrives at once, for tests.
#[cfg(test)]
pub(super) fn events_of(body: &'static str) -> EventReader {
    EventReader::new(futures::stream::iter([Ok::<_, std::io::Error>(body)]))
}
