//! Reads events once for all waiters of a job that are at the same position.

use std::sync::Arc;

use auris_domain::id::JobId;

use crate::error::StoreError;
use crate::store::Store;
use crate::wakeups::{EventBatch, JobWaiter, LastRead, SharedEvent};

/// Maximum bytes of the events that a reader keeps, because thousands of readers may be slow. A single event may be larger.
const BATCH_BYTES: usize = 64 * 1024;

impl Store {
    /// The job's events after a number, with their content unless that is large. Readers that have seen the same number of
    /// wake-ups and are at the same event share one query. It ran after the latest wake-up, so it includes everything that
    /// wake-up announced.
    pub async fn events_for(
        &self,
        waiter: &JobWaiter,
        after: i64,
        limit: u32,
    ) -> Result<Arc<EventBatch>, StoreError> {
        let Some(topic) = waiter.topic() else {
            return self.filled_events(waiter.job(), after, limit).await;
        };
        let wakeups = waiter.wakeups();
        let mut last = topic.read.0.lock().await;
        let same = |read: &&LastRead| read.wakeups == wakeups && read.after == after;
        if let Some(read) = last.as_ref().filter(same) {
            return Ok(Arc::clone(&read.batch));
        }
        let batch = self.filled_events(waiter.job(), after, limit).await?;
        // A single reader does not read the same events again, so they are not kept for it.
        *last = topic.is_shared().then(|| LastRead { wakeups, after, batch: Arc::clone(&batch) });
        Ok(batch)
    }

    async fn filled_events(
        &self,
        job: &JobId,
        after: i64,
        limit: u32,
    ) -> Result<Arc<EventBatch>, StoreError> {
        let stored = self.read_events(job, after, limit).await?;
        let mut batch = EventBatch { events: Vec::new(), has_more: stored.len() == limit as usize };
        let mut bytes = 0;
        for mut event in stored {
            let large_content = self.fill_in(&mut event).await?;
            bytes += event.data.as_str().len();
            if bytes > BATCH_BYTES && !batch.events.is_empty() {
                batch.has_more = true;
                break;
            }
            batch.events.push(SharedEvent::new(event, large_content));
        }
        Ok(Arc::new(batch))
    }
}
