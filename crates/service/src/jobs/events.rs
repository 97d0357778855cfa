//! The event stream of a job: what is stored after a number, then what comes, until the terminal event.

use std::sync::Arc;
use std::time::Duration;

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::event::Event;
use auris_domain::id::{JobId, KeyId};
use auris_store::{JobWaiter, SharedEvent};
use bytes::Bytes;
use futures::Stream;

use crate::error::Outcome;
use crate::{Caller, Service};

const BATCH: u32 = 100;
/// A revoked key stops working within five seconds, so an open stream looks at its key this often.
const TRUST: Duration = Duration::from_secs(2);

/// A reader of a job's events. There may be thousands that only wait, so it holds little: no task, no channel, and the
/// batch is shared with all who stand at the same place.
struct Reader {
    service: Service,
    key: KeyId,
    waiter: JobWaiter,
    /// The last event that was handed out.
    after: i64,
    batch: Arc<Vec<SharedEvent>>,
    place: usize,
    state: State,
    write: WriteEvent,
}

/// How an event is written on the wire; the same for all readers, so that it is done once.
pub type WriteEvent = fn(&Event) -> Bytes;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// There may be stored events.
    Reading,
    /// Everything stored was read.
    Waiting,
    Ended,
}

impl Service {
    /// The job's events after `last_event_id`. The stream ends after the terminal event, when the
    /// reader goes, when its key is revoked or expires, or when the process stops.
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
            let message = format!("The job has {last} events so far; `Last-Event-ID` must not be past that.");
            return Err(ApiError::new(ErrorCode::InvalidLastEventId, message).at("Last-Event-ID").into());
        }
        let ended = self.has_read_the_end(job, after).await?;
        let reader = Reader {
            service: self.clone(),
            key: caller.key_id().clone(),
            // Before the first read, so that nothing falls between the two.
            waiter: self.store().wakeups().subscribe_job(job),
            after,
            batch: Arc::default(),
            place: 0,
            state: if ended { State::Ended } else { State::Reading },
            write,
        };
        Ok(futures::stream::unfold(reader, |mut reader| async move {
            reader.next().await.map(|written| (written, reader))
        }))
    }

    async fn has_read_the_end(&self, job: &JobId, after: i64) -> Outcome<bool> {
        if after == 0 {
            return Ok(false);
        }
        let last = self.store().read_events(job, after - 1, 1).await?;
        Ok(last.first().is_some_and(|event| event.kind.is_terminal()))
    }
}

impl Reader {
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(shared) = self.batch.get(self.place) {
                self.place += 1;
                self.after = shared.event.sequence;
                let written = shared.written(self.write);
                if shared.event.kind.is_terminal() {
                    (self.state, self.batch) = (State::Ended, Arc::default());
                }
                return Some(written);
            }
            match self.state {
                State::Ended => return None,
                // Boxed, so that a reader that only waits does not hold the room for a query.
                State::Reading => Box::pin(self.read()).await,
                State::Waiting => self.wait().await,
            }
        }
    }

    /// No database connection is held while it waits. Wake-ups tell of new events, and the store polls for those that are
    /// missed; what ends a quiet wait is only the look at the key.
    async fn wait(&mut self) {
        let told = tokio::select! {
            told = self.waiter.changed(TRUST) => told,
            () = self.service.shutdown().cancelled() => return self.state = State::Ended,
        };
        match Box::pin(self.service.key_still_works(&self.key)).await {
            Ok(true) => self.state = if told { State::Reading } else { State::Waiting },
            Ok(false) => self.state = State::Ended,
            Err(error) => {
                tracing::warn!(%error, "an event stream broke off");
                self.state = State::Ended;
            }
        }
    }

    async fn read(&mut self) {
        self.place = 0;
        match self.service.store().events_for(&self.waiter, self.after, BATCH).await {
            Ok(batch) => {
                let full = batch.len() == BATCH as usize;
                self.state = if full { State::Reading } else { State::Waiting };
                self.batch = batch;
            }
            Err(error) => {
                tracing::warn!(%error, "an event stream broke off");
                (self.state, self.batch) = (State::Ended, Arc::default());
            }
        }
    }
}
