//! Events that all waiters of a job share, so that ten thousand readers at the same position cost one query.

use std::sync::{Arc, OnceLock};

use auris_domain::event::Event;
use bytes::Bytes;
use tokio::sync::Mutex;

/// Some of a job's events.
#[derive(Default)]
pub struct EventBatch {
    pub events: Vec<SharedEvent>,
    /// Whether more events may be stored after these.
    pub has_more: bool,
}

/// An event and its wire form, which is made once for all readers.
pub struct SharedEvent {
    pub event: Event,
    /// The bytes of content that is too large to be shared; each reader adds it for itself.
    pub large_content: Option<u64>,
    written: OnceLock<Bytes>,
}

impl SharedEvent {
    pub(crate) fn new(event: Event, large_content: Option<u64>) -> Self {
        Self { event, large_content, written: OnceLock::new() }
    }

    /// The wire form. The first caller creates it with `write`; all callers must pass the same function.
    pub fn written(&self, write: impl FnOnce(&Event) -> Bytes) -> Bytes {
        self.written.get_or_init(|| write(&self.event)).clone()
    }
}

/// The last read for the waiters of a job. The lock is held during the query, so that the others wait for its result.
#[derive(Default)]
pub(crate) struct SharedRead(pub(crate) Mutex<Option<LastRead>>);

/// Events that were read after a position, and the number of wake-ups that came before the query.
pub(crate) struct LastRead {
    pub(crate) wakeups: u64,
    pub(crate) after: i64,
    pub(crate) batch: Arc<EventBatch>,
}
