//! The key of a request that waits for the end of its job. If the request goes away without an answer, the next one with
//! the same key waits for the same job.

use auris_domain::id::JobId;
use auris_domain::time::Millis;
use auris_store::{KeyHold, KeyedResponse, Store, StoreError};

use super::idempotency::{LEASE_MS, RequestKey, key_in_use};
use crate::error::Outcome;
use crate::lease_guard::{LeaseGuard, LeasedRow};
use crate::{Caller, Service};

/// A key that a request holds while it waits for its job.
pub(crate) type HeldKey = LeaseGuard<JobKey>;

/// The row of a held key.
#[derive(Debug, Clone)]
pub(crate) struct JobKey {
    hold: KeyHold,
    /// When the first lease ends.
    until: Millis,
}

impl LeasedRow for JobKey {
    const NAME: &'static str = "idempotency key of an analysis";
    const LEASE_MS: i64 = LEASE_MS;

    async fn extend(&self, store: &Store, until: Millis) -> Result<(), StoreError> {
        store.extend_key(&self.hold, until).await
    }

    async fn release(&self, store: &Store) -> Result<(), StoreError> {
        store.leave_held_key(&self.hold).await
    }
}

impl JobKey {
    pub(crate) fn new(key: &RequestKey, caller: &Caller, now: Millis) -> Self {
        Self { hold: key.hold(caller, now), until: now.plus_ms(LEASE_MS) }
    }

    pub(crate) fn until(&self) -> Millis {
        self.until
    }

    /// The answer until the job ends.
    pub(crate) fn preliminary(&self, answer: KeyedResponse) -> KeyedResponse {
        KeyedResponse { holder: Some(self.hold.holder.clone()), ..answer }
    }
}

impl Service {
    /// Takes over the key of a request that went away.
    pub(crate) async fn take_held_key(&self, caller: &Caller, key: &RequestKey) -> Outcome<HeldKey> {
        let now = self.clock().now();
        let row = JobKey::new(key, caller, now);
        if self.store().take_held_key(&row.hold, row.until, now).await? {
            return Ok(HeldKey::new(self.clone(), row));
        }
        Err(key_in_use().into())
    }

    /// Stores the final answer under a held key.
    pub(crate) async fn answer_held_key(&self, key: HeldKey, body: &str, job: &JobId) -> Outcome<()> {
        match self.store().answer_held_key(&key.row().hold, body, job).await {
            Ok(()) => {
                key.settle();
                Ok(())
            }
            // This process was suspended until its lease ended, and a retry took the key over. The retry will be
            // answered.
            Err(StoreError::Conflict) => Err(key_in_use().into()),
            Err(error) => Err(error.into()),
        }
    }
}
