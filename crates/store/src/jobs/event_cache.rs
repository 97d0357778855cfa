//! Reads events once for all waiters of a job that are at the same position.

use std::sync::Arc;

use auris_domain::id::JobId;

use crate::error::StoreError;
use crate::store::Store;
use crate::wakeups::{JobWaiter, LastRead, SharedEvent};

impl Store {
    /// The job's events after a number, with their content. Readers that have seen the same number of wake-ups and are
    /// at the same event share one query. It ran after the latest wake-up, so it includes everything that wake-up
    /// announced.
    pub async fn events_for(
        &self,
        waiter: &JobWaiter,
        after: i64,
        limit: u32,
    ) -> Result<Arc<Vec<SharedEvent>>, StoreError> {
        let Some(topic) = waiter.topic() else {
            return self.filled_events(waiter.job(), after, limit).await;
        };
        let wakeups = waiter.wakeups();
        let mut last = topic.read.0.lock().await;
        let same = |read: &&LastRead| read.wakeups == wakeups && read.after == after;
        if let Some(read) = last.as_ref().filter(same) {
            return Ok(Arc::clone(&read.events));
        }
        let events = self.filled_events(waiter.job(), after, limit).await?;
        // A single reader does not read the same events again, so they are not kept for it.
        *last = topic.is_shared().then(|| LastRead { wakeups, after, events: Arc::clone(&events) });
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
        Ok(Arc::new(events.into_iter().map(SharedEvent::new).collect()))
    }
}
