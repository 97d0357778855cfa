//! The memory that JSON bodies may take together: each holds its place while it is read, checked and submitted.

use std::sync::Arc;
use std::time::Duration;

use auris_domain::error::{ApiError, Checked, ErrorCode};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// As bytes on the wire; parsed they take a few times as much.
const TOTAL_MEBIBYTES: usize = 512;
const MEBIBYTE: usize = 1024 * 1024;
const WAIT: Duration = Duration::from_secs(5);

/// Room for bodies, counted in whole mebibytes.
#[derive(Clone)]
pub(crate) struct Room(Arc<Semaphore>);

/// Room that one body holds until this is dropped.
#[derive(Debug)]
pub(crate) struct Place(OwnedSemaphorePermit);

impl Room {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(TOTAL_MEBIBYTES)))
    }

    /// Waits a little for so much room.
    pub(crate) async fn take(&self, bytes: usize) -> Checked<Place> {
        self.permits(mebibytes(bytes)).await.map(Place)
    }

    /// Makes the place large enough for a body that turned out to have so many bytes.
    pub(crate) async fn widen(&self, place: &mut Place, bytes: usize) -> Checked<()> {
        let more = mebibytes(bytes).saturating_sub(place.0.num_permits());
        if more > 0 {
            place.0.merge(self.permits(more).await?);
        }
        Ok(())
    }

    async fn permits(&self, count: usize) -> Checked<OwnedSemaphorePermit> {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let waiting = Arc::clone(&self.0).acquire_many_owned(count);
        match tokio::time::timeout(WAIT, waiting).await {
            Ok(Ok(permits)) => Ok(permits),
            Ok(Err(_)) | Err(_) => Err(full()),
        }
    }
}

fn mebibytes(bytes: usize) -> usize {
    bytes.div_ceil(MEBIBYTE).max(1)
}

fn full() -> ApiError {
    let message = "Too many large requests are being read now; try again in a few seconds.";
    ApiError::new(ErrorCode::EngineOverloaded, message).retry_after(5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_body_without_room_is_refused_and_admitted_when_there_is_some() {
        let room = Room::new();
        let first = room.take((TOTAL_MEBIBYTES - 1) * MEBIBYTE).await.unwrap();
        let mut small = room.take(10).await.unwrap();
        assert_eq!(room.take(0).await.unwrap_err().retry_after, Some(5));
        assert!(room.widen(&mut small, MEBIBYTE + 1).await.is_err());
        drop(first);
        room.widen(&mut small, MEBIBYTE + 1).await.unwrap();
        assert_eq!(small.0.num_permits(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_within_its_place_takes_no_more() {
        let room = Room::new();
        let mut place = room.take(3 * MEBIBYTE).await.unwrap();
        room.widen(&mut place, 2 * MEBIBYTE).await.unwrap();
        assert_eq!(room.0.available_permits(), TOTAL_MEBIBYTES - 3);
    }
}
