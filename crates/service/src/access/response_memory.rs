//! Limits the memory of responses that are kept until their clients have read them.

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::ProjectId;
use auris_store::Unread;
use bytes::Bytes;

use super::caller::CredentialId;
use super::memory_shares::{MemoryReservation, MemoryShares, NoMemory, ShareLimits};
use crate::error::Outcome;
use crate::{Caller, Service, sized_work};

/// In MiB. The largest response, all steps of a job with ten million characters, is about 100 MiB.
const LIMITS: ShareLimits = ShareLimits { total: 256, project: 192, key: 128 };
/// While a response is composed, there are two copies of its content: the stored one and the one to send.
const COPIES: usize = 2;

/// The memory for the responses of this process.
pub(crate) struct ResponseMemory(MemoryShares);

impl Default for ResponseMemory {
    fn default() -> Self {
        Self(MemoryShares::new(LIMITS))
    }
}

impl ResponseMemory {
    pub(crate) fn reservation(&self, key: &CredentialId, project: &ProjectId) -> MemoryReservation {
        self.0.reservation(key.clone(), project)
    }
}

impl Service {
    /// Reserves memory for a response of this size. Fails if none is released in time.
    pub async fn reserve_response(
        &self,
        caller: &Caller,
        bytes: usize,
    ) -> Result<MemoryReservation, ApiError> {
        let mut memory = self.response_memory().reservation(&caller.counted(), caller.project_id());
        memory.grow(bytes).await.map_err(too_much)?;
        Ok(memory)
    }

    /// Counts a response that must not be refused, because it cannot be requested again.
    pub fn count_response(&self, caller: &Caller, bytes: usize) -> MemoryReservation {
        let mut memory = self.response_memory().reservation(&caller.counted(), caller.project_id());
        memory.count(bytes);
        memory
    }

    /// Reserves memory to compose a response of stored content.
    pub(crate) async fn reserve_composing(
        &self,
        caller: &Caller,
        stored_bytes: u64,
    ) -> Outcome<MemoryReservation> {
        Ok(self.reserve_response(caller, composing_bytes(stored_bytes)).await?)
    }
}

/// The memory that it takes to compose a response of stored content.
pub(crate) fn composing_bytes(stored_bytes: u64) -> usize {
    usize::try_from(stored_bytes).unwrap_or(usize::MAX).saturating_mul(COPIES)
}

/// Composes a response of stored content. The reservation is for the content as it was when its size was read; it may
/// have grown since then.
pub(crate) async fn compose<T: Send + 'static>(
    mut memory: MemoryReservation,
    stored: Unread<T>,
    write: impl FnOnce(T) -> Vec<u8> + Send + 'static,
) -> Outcome<Bytes> {
    memory.grow(composing_bytes(stored.bytes() as u64)).await.map_err(too_much)?;
    let composed = sized_work::run(stored.bytes(), move || {
        let body = write(stored.parse()?);
        memory.shrink(body.len());
        Ok(memory.hold(body))
    });
    composed.await?
}

fn too_much(_: NoMemory) -> ApiError {
    let message = "Too many large responses wait to be read by their clients; read those that you requested, then try again.";
    ApiError::new(ErrorCode::ConcurrencyLimitExceeded, message).retry_after(5)
}

/// Bytes and the memory that was reserved for them.
struct Held<B> {
    bytes: B,
    _memory: MemoryReservation,
}

impl<B: AsRef<[u8]>> AsRef<[u8]> for Held<B> {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}

impl MemoryReservation {
    /// Keeps the reservation until the bytes, and all parts of them, are dropped.
    pub fn hold(self, bytes: impl AsRef<[u8]> + Send + 'static) -> Bytes {
        Bytes::from_owner(Held { bytes, _memory: self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use auris_domain::id::KeyId;
    use auris_domain::time::Millis;

    #[tokio::test(start_paused = true)]
    async fn memory_is_reserved_until_the_last_part_of_a_response_is_dropped() {
        let memory = ResponseMemory::default();
        let (key, project) = (CredentialId::Key(KeyId::generate(Millis(0))), ProjectId::generate(Millis(0)));
        let mut first = memory.reservation(&key, &project);
        first.grow(LIMITS.key << 20).await.unwrap();
        let mut body = first.hold(vec![0; 10]);
        let rest = body.split_off(9);
        drop(body);
        let mut second = memory.reservation(&key, &project);
        assert_eq!(second.grow(LIMITS.key << 20).await, Err(NoMemory));
        drop(rest);
        second.grow(LIMITS.key << 20).await.unwrap();
    }
}
