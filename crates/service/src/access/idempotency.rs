//! Idempotency keys: a request that is repeated with the same key is executed once and gets the same answer.

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::{JobId, RequestId};
use auris_domain::time::Millis;
use auris_store::{KeyHold, KeyScope, Keyed, KeyedResponse, Store, StoreError, StoredResponse};

use crate::error::Outcome;
use crate::lease_guard::{LeaseGuard, LeasedRow};
use crate::{Caller, Service};

/// A key that a running request does not renew for this long can be taken over by a retry.
pub(super) const LEASE_MS: i64 = 15_000;

/// The key that a caller sent, and the request that it belongs to.
#[derive(Debug, Clone)]
pub struct RequestKey {
    pub key: String,
    pub method: &'static str,
    pub path: String,
    pub fingerprint: String,
}

/// An answer that is new, or one that was stored under the same key before.
#[derive(Debug, Clone)]
pub enum Replayable<T> {
    New(T),
    Replayed(StoredResponse),
}

/// What an earlier request with the same key and the same content left behind.
#[derive(Debug)]
pub(crate) enum KnownKey {
    Responded(StoredResponse),
    /// It stored this job, waited for its end, and went away without an answer.
    Waiting(JobId),
}

impl RequestKey {
    pub(crate) fn scope(&self, caller: &Caller) -> KeyScope {
        KeyScope {
            project_id: caller.project_id().clone(),
            method: self.method,
            path: self.path.clone(),
            key: self.key.clone(),
        }
    }

    /// A hold on the key for one request.
    pub(super) fn hold(&self, caller: &Caller, now: Millis) -> KeyHold {
        KeyHold {
            scope: self.scope(caller),
            fingerprint: self.fingerprint.clone(),
            holder: RequestId::generate(now).to_string(),
        }
    }

    pub(crate) fn answer(
        &self,
        caller: &Caller,
        status: u16,
        content_type: &str,
        body: String,
    ) -> KeyedResponse {
        KeyedResponse {
            scope: self.scope(caller),
            fingerprint: self.fingerprint.clone(),
            holder: None,
            status,
            content_type: content_type.into(),
            body,
        }
    }
}

impl Service {
    /// The answer stored under this key, if any. Refuses a key of another request, and one whose request still runs.
    pub(crate) async fn replay(
        &self,
        caller: &Caller,
        key: Option<&RequestKey>,
    ) -> Outcome<Option<StoredResponse>> {
        match self.known_key(caller, key).await? {
            Some(KnownKey::Responded(answer)) => Ok(Some(answer)),
            // Only analyses wait for their jobs, and they do not ask here.
            Some(KnownKey::Waiting(_)) => Err(key_in_use().into()),
            None => Ok(None),
        }
    }

    /// What is stored under this key. Refuses a key of another request, and one whose request still runs.
    pub(crate) async fn known_key(
        &self,
        caller: &Caller,
        key: Option<&RequestKey>,
    ) -> Outcome<Option<KnownKey>> {
        let Some(key) = key else { return Ok(None) };
        let now = self.clock().now();
        let Some(stored) = self.store().lookup_key(&key.scope(caller), now).await? else {
            return Ok(None);
        };
        if stored.fingerprint != key.fingerprint {
            return Err(key_reused().into());
        }
        if stored.is_in_use(now) {
            return Err(key_in_use().into());
        }
        Ok(match (stored.answer, stored.lease_until, stored.job) {
            (Some(_), Some(_), Some(job)) => Some(KnownKey::Waiting(job)),
            (Some(answer), _, _) => Some(KnownKey::Responded(answer)),
            (None, _, _) => None,
        })
    }

    /// Reserves the key for a long-running request, or finds the answer stored under it.
    pub(crate) async fn reserve(
        &self,
        caller: &Caller,
        key: &RequestKey,
    ) -> Outcome<Replayable<ReservedKey>> {
        let now = self.clock().now();
        let hold = key.hold(caller, now);
        match self.store().reserve_key(&hold, now.plus_ms(LEASE_MS), now).await? {
            Keyed::Done(()) => Ok(Replayable::New(ReservedKey::new(self.clone(), hold))),
            Keyed::Replayed(answer) => Ok(Replayable::Replayed(answer)),
            Keyed::KeyReused => Err(key_reused().into()),
            Keyed::KeyInUse => Err(key_in_use().into()),
        }
    }
}

/// A key that is reserved while its request runs. Dropped without an answer, it is free again.
pub(crate) type ReservedKey = LeaseGuard<KeyHold>;

impl LeasedRow for KeyHold {
    const NAME: &'static str = "idempotency key";
    const LEASE_MS: i64 = LEASE_MS;

    async fn extend(&self, store: &Store, until: Millis) -> Result<(), StoreError> {
        store.extend_key(self, until).await
    }

    async fn release(&self, store: &Store) -> Result<(), StoreError> {
        store.release_key(self).await
    }
}

impl ReservedKey {
    /// The answer as it is stored under the key.
    pub(crate) fn keyed_answer(&self, answer: &StoredResponse) -> KeyedResponse {
        let hold = self.row();
        KeyedResponse {
            scope: hold.scope.clone(),
            fingerprint: hold.fingerprint.clone(),
            holder: Some(hold.holder.clone()),
            status: answer.status,
            content_type: answer.content_type.clone(),
            body: answer.body.clone(),
        }
    }
}

pub(crate) fn key_reused() -> ApiError {
    let message = "This Idempotency-Key was used for another request; use a new key for a new request.";
    ApiError::new(ErrorCode::IdempotencyKeyReused, message).at("Idempotency-Key")
}

pub(crate) fn key_in_use() -> ApiError {
    let message = "The first request with this Idempotency-Key is still running; try again in a second.";
    ApiError::new(ErrorCode::IdempotencyKeyInUse, message).at("Idempotency-Key").retry_after(1)
}
