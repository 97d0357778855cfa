//! Limits the memory that JSON bodies use together. A body reserves memory in steps while it arrives, and keeps it until
//! it has been submitted.

use auris_domain::error::{ApiError, Checked, ErrorCode};
use auris_domain::id::ProjectId;
use auris_service::access::{CredentialId, MemoryReservation, MemoryShares, NoMemory, ShareLimits};

/// In MiB of bytes on the wire. Parsed JSON takes several times as much. The share of a key is one body of the largest
/// size that the API accepts.
const LIMITS: ShareLimits = ShareLimits { total: 512, project: 384, key: 256 };

/// The memory for request bodies. Cheap to clone.
#[derive(Clone)]
pub(crate) struct BodyMemory(MemoryShares);

/// The memory that one body uses; released on drop.
#[derive(Debug)]
pub(crate) struct Reservation(MemoryReservation);

impl Default for BodyMemory {
    fn default() -> Self {
        Self(MemoryShares::new(LIMITS))
    }
}

impl BodyMemory {
    /// An empty reservation for a body that was sent with this key.
    pub(crate) fn reservation(&self, key: CredentialId, project: &ProjectId) -> Reservation {
        Reservation(self.0.reservation(key, project))
    }
}

impl Reservation {
    /// Makes the reservation large enough for a body of this size. Waits if there is no memory; if none is released in
    /// time, fails and releases the whole reservation.
    pub(crate) async fn grow(&mut self, bytes: usize) -> Checked<()> {
        self.0.grow(bytes).await.map_err(overloaded)
    }
}

fn overloaded(_: NoMemory) -> ApiError {
    let message = "The service is reading too many large requests; try again in a few seconds.";
    ApiError::new(ErrorCode::EngineOverloaded, message).retry_after(5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use auris_domain::id::KeyId;
    use auris_domain::limits;
    use auris_domain::time::Millis;
    use futures::FutureExt;

    fn of_new_project(memory: &BodyMemory) -> Reservation {
        memory.reservation(CredentialId::Key(KeyId::generate(Millis(0))), &ProjectId::generate(Millis(0)))
    }

    #[tokio::test(start_paused = true)]
    async fn two_bodies_of_the_largest_size_fit_and_a_small_one_never_waits() {
        let memory = BodyMemory::default();
        let mut bodies = [of_new_project(&memory), of_new_project(&memory), of_new_project(&memory)];
        for body in &mut bodies[..2] {
            body.grow(limits::ANALYSIS_BODY_BYTES).now_or_never().unwrap().unwrap();
        }
        bodies[2].grow(limits::ENDPOINT_BODY_BYTES).now_or_never().unwrap().unwrap();
        let refused = bodies[2].grow(limits::ENDPOINT_BODY_BYTES + 1).await.unwrap_err();
        assert_eq!((refused.code, refused.retry_after), (ErrorCode::EngineOverloaded, Some(5)));
    }
}
