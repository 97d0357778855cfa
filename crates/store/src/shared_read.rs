//! Events read once for all who wait for the same job at the same place: ten thousand readers are one query.

use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use auris_domain::event::Event;
use auris_domain::id::JobId;
use bytes::Bytes;
use tokio::sync::Mutex;

use crate::db::{Argument, args};
use crate::error::StoreError;
use crate::notify::JobWaiter;
use crate::statements::statements;
use crate::store::{Inner, Store};

/// The net under wake-ups, which may be missed: from other processes on SQLite always, on PostgreSQL now and then.
const POLL: Duration = Duration::from_secs(2);
const JOBS_A_POLL: usize = 50;

statements! {
    LAST_EVENTS = "SELECT id, event_seq FROM jobs WHERE id IN (
        $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25,
        $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42, $43, $44, $45, $46, $47, $48, $49, $50)";
}

/// The last read, by the wake-up that it followed and the place that it began at.
#[derive(Default)]
pub(crate) struct SharedRead(Mutex<Option<Read>>);

type Read = (u64, i64, Arc<Vec<SharedEvent>>);

/// An event, and what it is on the wire, which is made once for all its readers.
pub struct SharedEvent {
    pub event: Event,
    written: OnceLock<Bytes>,
}

impl SharedEvent {
    /// The first who asks writes it; all must ask for the same.
    pub fn written(&self, write: impl FnOnce(&Event) -> Bytes) -> Bytes {
        self.written.get_or_init(|| write(&self.event)).clone()
    }
}

impl Store {
    /// The job's events after a number, with their content. Whoever was told as often and stands at the same place gets
    /// the same read, which was made after that wake-up and so has all that it told of.
    pub async fn events_for(
        &self,
        waiter: &JobWaiter,
        after: i64,
        limit: u32,
    ) -> Result<Arc<Vec<SharedEvent>>, StoreError> {
        let Some(topic) = waiter.topic() else {
            return self.filled_events(waiter.job(), after, limit).await;
        };
        let told = waiter.told();
        let mut last = topic.read.0.lock().await;
        if let Some((_, _, events)) =
            last.as_ref().filter(|(count, place, _)| (*count, *place) == (told, after))
        {
            return Ok(Arc::clone(events));
        }
        let events = self.filled_events(waiter.job(), after, limit).await?;
        // One reader alone reads on; its events need not stay.
        *last = topic.is_shared().then(|| (told, after, Arc::clone(&events)));
        Ok(events)
    }

    async fn filled_events(
        &self,
        job: &JobId,
        after: i64,
        limit: u32,
    ) -> Result<Arc<Vec<SharedEvent>>, StoreError> {
        let mut events = self.read_events(job, after, limit).await?;
        for event in &mut events {
            self.fill_in(event).await?;
        }
        let shared = |event| SharedEvent { event, written: OnceLock::new() };
        Ok(Arc::new(events.into_iter().map(shared).collect()))
    }

    /// Looks whether jobs that somebody waits for have moved on.
    async fn poll_jobs(&self) -> Result<(), StoreError> {
        let topics = self.notify().topics();
        for jobs in topics.listened_to().chunks(JOBS_A_POLL) {
            // A statement has as many places always; the last job fills those that are left.
            let places = (0..JOBS_A_POLL).filter_map(|index| jobs.get(index).or(jobs.last()));
            let arguments: Vec<Argument> = places.flat_map(|job| args![job]).collect();
            for row in self.database().rows(&LAST_EVENTS, arguments).await? {
                topics.polled(&row.parsed("id")?, row.integer("event_seq")?);
            }
        }
        Ok(())
    }
}

/// Polls as long as there is a store.
pub(crate) async fn poll(store: Weak<Inner>) {
    loop {
        tokio::time::sleep(POLL).await;
        let Some(inner) = store.upgrade() else { return };
        if let Err(error) = Store::from(inner).poll_jobs().await {
            tracing::debug!(%error, "cannot poll now");
        }
    }
}
