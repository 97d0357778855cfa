//! The event stream of a job: stored events first, then new ones as they are recorded, up to the terminal event.

use std::sync::Arc;

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::event::Event;
use auris_domain::id::{JobId, ProjectId};
use auris_store::{EventBatch, JobWaiter};
use bytes::Bytes;
use futures::Stream;
use tokio::time::Instant;

use crate::access::{KEY_CHECK_INTERVAL, KeySlot, MemoryReservation, compose, composing_bytes};
use crate::error::Outcome;
use crate::{Caller, Service};

/// Maximum number of events per query.
const BATCH: u32 = 100;

/// Reads the events of a job. Thousands of readers may be waiting, so each holds little: no task, no channel, and a
/// batch that it shares with the other readers at the same event. Memory is reserved for an event with large content.
struct EventReader {
    service: Service,
    /// Counts the stream for its key.
    slot: KeySlot,
    project: ProjectId,
    /// When the key was last checked.
    checked_at: Instant,
    waiter: JobWaiter,
    /// The number of the last event that was returned.
    after: i64,
    batch: Arc<EventBatch>,
    /// The index of the next event in the batch.
    position: usize,
    state: ReaderState,
    write: WriteEvent,
}

/// Writes an event for the wire. All readers use the same function, so that each event is written once.
pub type WriteEvent = fn(&Event) -> Bytes;

#[derive(Clone, Copy, PartialEq, Eq)]
enum ReaderState {
    /// There may be stored events that were not read.
    Reading,
    /// Everything stored was read.
    Waiting,
    Ended,
}

impl Service {
    /// The events of a job after `last_event_id`. The stream ends after the terminal event, when the caller
    /// disconnects, when the key is revoked or expires, or when the process stops. Fails if the key has too many
    /// streams.
    pub async fn stream_events(
        &self,
        caller: &Caller,
        job: &JobId,
        last_event_id: Option<i64>,
        write: WriteEvent,
    ) -> Outcome<impl Stream<Item = Bytes> + Send + use<>> {
        self.owned_job(caller, job).await?;
        let after = last_event_id.unwrap_or(0);
        let last = self.store().last_sequence(job).await?;
        if after > last {
            let message = format!("The job has {last} events so far; `Last-Event-ID` must not be higher.");
            return Err(ApiError::new(ErrorCode::InvalidLastEventId, message).at("Last-Event-ID").into());
        }
        let ended = self.has_read_terminal_event(job, after).await?;
        let reader = EventReader {
            service: self.clone(),
            slot: self.begin_stream(caller)?,
            project: caller.project_id().clone(),
            checked_at: Instant::now(),
            // Subscribed before the first read, so that no event is missed in between.
            waiter: self.store().wakeups().subscribe_job(job),
            after,
            batch: Arc::default(),
            position: 0,
            state: if ended { ReaderState::Ended } else { ReaderState::Reading },
            write,
        };
        Ok(futures::stream::unfold(reader, |mut reader| async move {
            reader.next().await.map(|written| (written, reader))
        }))
    }

    async fn has_read_terminal_event(&self, job: &JobId, after: i64) -> Outcome<bool> {
        if after == 0 {
            return Ok(false);
        }
        let last = self.store().read_events(job, after - 1, 1).await?;
        Ok(last.first().is_some_and(|event| event.kind.is_terminal()))
    }
}

impl EventReader {
    async fn next(&mut self) -> Option<Bytes> {
        // A client that reads slowly can take minutes for the events that are stored.
        let is_due = self.state != ReaderState::Ended && self.checked_at.elapsed() >= KEY_CHECK_INTERVAL;
        if is_due && !self.key_works().await {
            self.end();
        }
        loop {
            if self.position < self.batch.events.len() {
                return self.next_in_batch().await;
            }
            match self.state {
                ReaderState::Ended => return None,
                // Boxed, so that a waiting reader does not reserve memory for a query.
                ReaderState::Reading => Box::pin(self.read()).await,
                ReaderState::Waiting => self.wait().await,
            }
        }
    }

    async fn next_in_batch(&mut self) -> Option<Bytes> {
        let batch = Arc::clone(&self.batch);
        let shared = batch.events.get(self.position)?;
        self.position += 1;
        self.after = shared.event.sequence;
        let written = match shared.large_content {
            None => Some(shared.written(self.write)),
            // Boxed, so that a waiting reader does not reserve memory for it.
            Some(bytes) => Box::pin(self.write_large(&shared.event, bytes)).await,
        };
        if shared.event.kind.is_terminal() || written.is_none() {
            self.end();
        }
        written
    }

    /// An event with its large content; `None` if the stream must end.
    async fn write_large(&mut self, event: &Event, bytes: u64) -> Option<Bytes> {
        let memory = self.reserve(composing_bytes(bytes)).await?;
        let write = self.write;
        let written = async {
            let stored = self.service.store().fill_in_large(event).await?;
            compose(memory, stored, move |event| write(&event).into()).await
        };
        written.await.inspect_err(|error| tracing::warn!(%error, "an event stream ended early")).ok()
    }

    /// Waits for memory as long as the stream may stay open.
    async fn reserve(&mut self, bytes: usize) -> Option<MemoryReservation> {
        loop {
            let mut memory = self.service.response_memory().reservation(self.slot.key(), &self.project);
            tokio::select! {
                grown = memory.grow(bytes) => {
                    if grown.is_ok() {
                        return Some(memory);
                    }
                }
                () = self.service.shutdown().cancelled() => return None,
            }
            if !self.key_works().await {
                return None;
            }
        }
    }

    /// Waits for a wake-up without holding a database connection. The store polls for wake-ups that were missed, so a
    /// wait without new events ends only to check the key.
    async fn wait(&mut self) {
        let woken = tokio::select! {
            woken = self.waiter.changed(KEY_CHECK_INTERVAL) => woken,
            () = self.service.shutdown().cancelled() => return self.state = ReaderState::Ended,
        };
        self.state = match (self.key_works().await, woken) {
            (true, true) => ReaderState::Reading,
            (true, false) => ReaderState::Waiting,
            (false, _) => ReaderState::Ended,
        };
    }

    /// Whether the key still works. False also if that cannot be found out.
    async fn key_works(&mut self) -> bool {
        self.checked_at = Instant::now();
        // Boxed, so that a waiting reader does not reserve memory for a query.
        match Box::pin(self.service.refusal_of(self.slot.key())).await {
            Ok(refusal) => refusal.is_none(),
            Err(error) => {
                tracing::warn!(%error, "an event stream ended early");
                false
            }
        }
    }

    fn end(&mut self) {
        self.state = ReaderState::Ended;
        self.batch = Arc::default();
    }

    async fn read(&mut self) {
        self.position = 0;
        self.batch = Arc::default();
        match self.service.store().events_for(&self.waiter, self.after, BATCH).await {
            Ok(batch) => {
                self.state = if batch.has_more { ReaderState::Reading } else { ReaderState::Waiting };
                self.batch = batch;
            }
            Err(error) => {
                tracing::warn!(%error, "an event stream ended early");
                self.end();
            }
        }
    }
}
