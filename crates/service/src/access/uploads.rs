//! Limits the concurrent uploads of each API key. A further upload waits, without being read, until one ends.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::KeyId;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::settings::UploadSettings;

/// The slots of every key that has an upload. A key without one has no entry.
type SlotsOfKeys = Mutex<HashMap<KeyId, Weak<Semaphore>>>;

/// The uploads of this process.
pub(super) struct Uploads {
    settings: UploadSettings,
    keys: Arc<SlotsOfKeys>,
}

/// Counts as one of the uploads of a key until it is dropped.
#[derive(Debug)]
pub struct RunningUpload {
    key: KeyId,
    keys: Arc<SlotsOfKeys>,
    slot: Option<OwnedSemaphorePermit>,
}

impl Uploads {
    pub(super) fn new(settings: UploadSettings) -> Self {
        Self { settings, keys: Arc::default() }
    }

    /// Acquires a slot of the key. Waits if none is free; fails if none becomes free in time.
    pub(super) async fn begin(&self, key: &KeyId) -> Result<RunningUpload, ApiError> {
        // Exists before the slot does, so that its drop also cleans up after a request that is cancelled while waiting.
        let mut upload = RunningUpload { key: key.clone(), keys: Arc::clone(&self.keys), slot: None };
        if self.settings.concurrent == 0 {
            return Ok(upload);
        }
        let acquiring = self.slots(key).acquire_owned();
        match tokio::time::timeout(self.settings.wait, acquiring).await {
            Ok(Ok(slot)) => {
                upload.slot = Some(slot);
                Ok(upload)
            }
            Ok(Err(_)) | Err(_) => Err(too_many(self.settings.concurrent)),
        }
    }

    fn slots(&self, key: &KeyId) -> Arc<Semaphore> {
        let mut keys = self.keys.lock();
        if let Some(slots) = keys.get(key).and_then(Weak::upgrade) {
            return slots;
        }
        let slots = Arc::new(Semaphore::new(self.settings.concurrent as usize));
        keys.insert(key.clone(), Arc::downgrade(&slots));
        slots
    }
}

impl Drop for RunningUpload {
    fn drop(&mut self) {
        drop(self.slot.take());
        let mut keys = self.keys.lock();
        if keys.get(&self.key).is_some_and(|slots| slots.strong_count() == 0) {
            keys.remove(&self.key);
        }
    }
}

fn too_many(limit: u32) -> ApiError {
    let message = format!(
        "This key already has {limit} uploads in progress, the maximum; retry when one of them has ended."
    );
    ApiError::new(ErrorCode::ConcurrencyLimitExceeded, message).retry_after(5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use auris_domain::time::Millis;
    use futures::FutureExt;
    use std::time::Duration;

    fn uploads(concurrent: u32) -> Uploads {
        Uploads::new(UploadSettings { concurrent, wait: Duration::from_secs(60) })
    }

    fn key() -> KeyId {
        KeyId::generate(Millis(0))
    }

    #[tokio::test(start_paused = true)]
    async fn an_upload_over_the_limit_waits_until_one_ends() {
        let (uploads, one, other) = (uploads(2), key(), key());
        let first = uploads.begin(&one).await.unwrap();
        let _second = uploads.begin(&one).await.unwrap();
        let mut third = Box::pin(uploads.begin(&one));
        assert!(third.as_mut().now_or_never().is_none());
        assert!(uploads.begin(&other).now_or_never().unwrap().is_ok());
        drop(first);
        assert!(third.now_or_never().unwrap().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn an_upload_that_waited_too_long_is_refused() {
        let (uploads, key) = (uploads(1), key());
        let _first = uploads.begin(&key).await.unwrap();
        let started = tokio::time::Instant::now();
        let refused = uploads.begin(&key).await.unwrap_err();
        assert_eq!(started.elapsed().as_secs(), 60);
        assert_eq!(refused.code, ErrorCode::ConcurrencyLimitExceeded);
        assert!(refused.retry_after.is_some() && refused.message.contains("1 uploads"), "{refused:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn zero_means_no_limit() {
        let (uploads, key) = (uploads(0), key());
        let _running = [uploads.begin(&key).await.unwrap(), uploads.begin(&key).await.unwrap()];
        assert!(uploads.keys.lock().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_without_uploads_is_forgotten() {
        let (uploads, key) = (uploads(1), key());
        let first = uploads.begin(&key).await.unwrap();
        let mut waiting = Box::pin(uploads.begin(&key));
        assert!(waiting.as_mut().now_or_never().is_none());
        drop(first);
        drop(waiting);
        assert!(uploads.keys.lock().is_empty());
    }
}
