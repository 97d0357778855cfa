//! Limits how many of something, such as uploads or event streams, each API key, session or project has in this process
//! at a time.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Weak};
use std::time::Duration;

use auris_domain::error::{ApiError, ErrorCode};
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::caller::CredentialId;

/// The slots of every key that uses one. Other keys have no entry.
type SlotsOfKeys<K> = Mutex<HashMap<K, Weak<Semaphore>>>;

/// The slots of each key, or of each project, for one purpose.
pub(super) struct KeySlots<K = CredentialId> {
    /// What has the slots, in messages: a key or a project.
    holder: &'static str,
    /// What the slots are for, in messages.
    purpose: &'static str,
    /// The slots of one key; 0 means no limit.
    limit: u32,
    keys: Arc<SlotsOfKeys<K>>,
}

/// A slot that a key uses until this is dropped.
#[derive(Debug)]
pub struct KeySlot<K: Hash + Eq = CredentialId> {
    key: K,
    keys: Arc<SlotsOfKeys<K>>,
    permit: Option<OwnedSemaphorePermit>,
}

impl<K: Hash + Eq + Clone> KeySlots<K> {
    pub(super) fn new(holder: &'static str, purpose: &'static str, limit: u32) -> Self {
        Self { holder, purpose, limit, keys: Arc::default() }
    }

    /// Acquires a slot of the key. Fails if none is free.
    pub(super) fn try_acquire(&self, key: &K) -> Result<KeySlot<K>, ApiError> {
        let mut slot = self.without_permit(key);
        if self.limit > 0 {
            let permit = self.slots(key).try_acquire_owned();
            slot.permit = Some(permit.map_err(|_| self.too_many())?);
        }
        Ok(slot)
    }

    /// The same, but waits if none is free, and fails if none becomes free in time.
    pub(super) async fn acquire(&self, key: &K, wait: Duration) -> Result<KeySlot<K>, ApiError> {
        let mut slot = self.without_permit(key);
        if self.limit > 0 {
            let acquiring = tokio::time::timeout(wait, self.slots(key).acquire_owned());
            let permit = acquiring.await.ok().and_then(Result::ok);
            slot.permit = Some(permit.ok_or_else(|| self.too_many())?);
        }
        Ok(slot)
    }

    /// Exists before its permit does, so that its drop also cleans up after a request that is refused, or cancelled
    /// while it waits.
    fn without_permit(&self, key: &K) -> KeySlot<K> {
        KeySlot { key: key.clone(), keys: Arc::clone(&self.keys), permit: None }
    }

    fn slots(&self, key: &K) -> Arc<Semaphore> {
        let mut keys = self.keys.lock();
        if let Some(slots) = keys.get(key).and_then(Weak::upgrade) {
            return slots;
        }
        let slots = Arc::new(Semaphore::new(self.limit as usize));
        keys.insert(key.clone(), Arc::downgrade(&slots));
        slots
    }

    fn too_many(&self) -> ApiError {
        let Self { holder, purpose, limit, .. } = self;
        let message = format!(
            "This {holder} already has {limit} {purpose}, the maximum; retry when one of them has ended."
        );
        ApiError::new(ErrorCode::ConcurrencyLimitExceeded, message).retry_after(5)
    }
}

impl KeySlot<CredentialId> {
    pub(crate) fn key(&self) -> &CredentialId {
        &self.key
    }
}

impl<K: Hash + Eq> Drop for KeySlot<K> {
    fn drop(&mut self) {
        drop(self.permit.take());
        let mut keys = self.keys.lock();
        if keys.get(&self.key).is_some_and(|slots| slots.strong_count() == 0) {
            keys.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use auris_domain::id::KeyId;
    use auris_domain::time::Millis;
    use futures::FutureExt;

    const WAIT: Duration = Duration::from_secs(60);

    fn uploads(limit: u32) -> KeySlots {
        KeySlots::new("key", "uploads", limit)
    }

    fn key() -> CredentialId {
        CredentialId::Key(KeyId::generate(Millis(0)))
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_over_the_limit_waits_until_a_slot_is_free() {
        let (uploads, one, other) = (uploads(2), key(), key());
        let first = uploads.acquire(&one, WAIT).await.unwrap();
        let _second = uploads.acquire(&one, WAIT).await.unwrap();
        let mut third = Box::pin(uploads.acquire(&one, WAIT));
        assert!(third.as_mut().now_or_never().is_none());
        assert!(uploads.acquire(&other, WAIT).now_or_never().unwrap().is_ok());
        drop(first);
        assert!(third.now_or_never().unwrap().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_waited_too_long_is_refused() {
        let (uploads, key) = (uploads(1), key());
        let _first = uploads.acquire(&key, WAIT).await.unwrap();
        let started = tokio::time::Instant::now();
        let refused = uploads.acquire(&key, WAIT).await.unwrap_err();
        assert_eq!(started.elapsed().as_secs(), 60);
        assert_eq!(refused.code, ErrorCode::ConcurrencyLimitExceeded);
        assert!(refused.retry_after.is_some() && refused.message.contains("1 uploads"), "{refused:?}");
    }

    #[test]
    fn a_request_that_does_not_wait_is_refused_until_a_slot_is_free() {
        let (streams, one, other) = (KeySlots::new("key", "event streams", 1), key(), key());
        let first = streams.try_acquire(&one).unwrap();
        let refused = streams.try_acquire(&one).unwrap_err();
        assert_eq!(refused.code, ErrorCode::ConcurrencyLimitExceeded);
        assert!(refused.retry_after.is_some() && refused.message.contains("1 event streams"), "{refused:?}");
        assert!(streams.try_acquire(&other).is_ok());
        drop(first);
        assert!(streams.try_acquire(&one).is_ok());
        assert!(streams.keys.lock().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn zero_means_no_limit() {
        let (uploads, key) = (uploads(0), key());
        let _used = [uploads.acquire(&key, WAIT).await.unwrap(), uploads.try_acquire(&key).unwrap()];
        assert!(uploads.keys.lock().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_that_uses_no_slot_is_forgotten() {
        let (uploads, key) = (uploads(1), key());
        let first = uploads.acquire(&key, WAIT).await.unwrap();
        let mut waiting = Box::pin(uploads.acquire(&key, WAIT));
        assert!(waiting.as_mut().now_or_never().is_none());
        drop(first);
        drop(waiting);
        assert!(uploads.keys.lock().is_empty());
    }
}
