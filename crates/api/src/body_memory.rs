//! Limits the memory that JSON bodies use together: each body reserves its size until it has been submitted.

use std::sync::Arc;
use std::time::Duration;

use auris_domain::error::{ApiError, Checked, ErrorCode};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum total size of the bodies in memory, as bytes on the wire. Parsed JSON takes several times as much.
const TOTAL_MEBIBYTES: usize = 512;
const MEBIBYTE: usize = 1024 * 1024;
/// How long a request waits for memory before it is refused with 503. Short, because its client is waiting too.
const WAIT: Duration = Duration::from_secs(5);

/// The memory for request bodies, counted in whole mebibytes.
#[derive(Clone)]
pub(crate) struct BodyMemory(Arc<Semaphore>);

/// The memory that one body uses; released on drop.
#[derive(Debug)]
pub(crate) struct Reservation(OwnedSemaphorePermit);

impl BodyMemory {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(TOTAL_MEBIBYTES)))
    }

    /// Reserves memory for a body of this size. Fails if none becomes free in time.
    pub(crate) async fn reserve(&self, bytes: usize) -> Checked<Reservation> {
        self.acquire(mebibytes(bytes)).await.map(Reservation)
    }

    /// Grows a reservation for a body that turned out to be larger. Fails if no memory becomes free in time.
    pub(crate) async fn grow(&self, reservation: &mut Reservation, bytes: usize) -> Checked<()> {
        let missing = mebibytes(bytes).saturating_sub(reservation.0.num_permits());
        if missing > 0 {
            reservation.0.merge(self.acquire(missing).await?);
        }
        Ok(())
    }

    async fn acquire(&self, count: usize) -> Checked<OwnedSemaphorePermit> {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let acquiring = Arc::clone(&self.0).acquire_many_owned(count);
        match tokio::time::timeout(WAIT, acquiring).await {
            Ok(Ok(permits)) => Ok(permits),
            Ok(Err(_)) | Err(_) => Err(overloaded()),
        }
    }
}

fn mebibytes(bytes: usize) -> usize {
    bytes.div_ceil(MEBIBYTE).max(1)
}

fn overloaded() -> ApiError {
    let message = "The service is reading too many large requests; try again in a few seconds.";
    ApiError::new(ErrorCode::EngineOverloaded, message).retry_after(5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_body_is_refused_while_memory_is_full_and_accepted_afterwards() {
        let memory = BodyMemory::new();
        let large = memory.reserve((TOTAL_MEBIBYTES - 1) * MEBIBYTE).await.unwrap();
        let mut small = memory.reserve(10).await.unwrap();
        assert_eq!(memory.reserve(0).await.unwrap_err().retry_after, Some(5));
        assert!(memory.grow(&mut small, MEBIBYTE + 1).await.is_err());
        drop(large);
        memory.grow(&mut small, MEBIBYTE + 1).await.unwrap();
        assert_eq!(small.0.num_permits(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_within_its_reservation_reserves_no_more() {
        let memory = BodyMemory::new();
        let mut reservation = memory.reserve(3 * MEBIBYTE).await.unwrap();
        memory.grow(&mut reservation, 2 * MEBIBYTE).await.unwrap();
        assert_eq!(memory.0.available_permits(), TOTAL_MEBIBYTES - 3);
    }
}
