//! Idempotency keys: the same request with the same key is done once and answered the same.

use std::time::Duration;

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::RequestId;
use auris_store::{KeyHold, KeyScope, KeyedAnswer, Reservation, StoredAnswer};

use crate::error::Outcome;
use crate::{Caller, Service};

/// A reservation whose holder is silent for this long can be taken over.
const LEASE_MS: i64 = 15_000;

/// The key that a caller sent, and what it stands for.
#[derive(Debug, Clone)]
pub struct RequestKey {
    pub key: String,
    pub method: &'static str,
    pub path: String,
    pub fingerprint: String,
}

/// An answer that is new, or one that was given before.
#[derive(Debug, Clone)]
pub enum Answered<T> {
    New(T),
    Replayed(StoredAnswer),
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

    pub(crate) fn answer(
        &self,
        caller: &Caller,
        status: u16,
        content_type: &str,
        body: String,
    ) -> KeyedAnswer {
        KeyedAnswer {
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
    /// The answer given before under this key, if any; refuses a key used for another request or still at work.
    pub(crate) async fn replay(
        &self,
        caller: &Caller,
        key: Option<&RequestKey>,
    ) -> Outcome<Option<StoredAnswer>> {
        let Some(key) = key else { return Ok(None) };
        let Some(stored) = self.store.lookup_key(&key.scope(caller), self.clock.now()).await? else {
            return Ok(None);
        };
        if stored.fingerprint != key.fingerprint {
            return Err(key_reused().into());
        }
        match stored.answer {
            Some(answer) => Ok(Some(answer)),
            None if stored.lease_until.is_some_and(|until| until > self.clock.now()) => {
                Err(key_in_use().into())
            }
            None => Ok(None),
        }
    }

    /// Takes the key for a request that takes a while, or finds the answer that it was given before.
    pub(crate) async fn reserve(&self, caller: &Caller, key: &RequestKey) -> Outcome<Answered<ReservedKey>> {
        let now = self.clock.now();
        let hold = KeyHold {
            scope: key.scope(caller),
            fingerprint: key.fingerprint.clone(),
            holder: RequestId::generate(now).to_string(),
        };
        match self.store.reserve_key(&hold, now.plus_ms(LEASE_MS), now).await? {
            Reservation::Reserved => Ok(Answered::New(ReservedKey::new(self.clone(), hold))),
            Reservation::Replayed(answer) => Ok(Answered::Replayed(answer)),
            Reservation::KeyReused => Err(key_reused().into()),
            Reservation::KeyInUse => Err(key_in_use().into()),
        }
    }
}

/// A key that is held while its request runs. Dropped without an answer, it is free again.
pub(crate) struct ReservedKey {
    service: Service,
    hold: KeyHold,
    renewal: tokio::task::JoinHandle<()>,
    settled: bool,
}

impl ReservedKey {
    fn new(service: Service, hold: KeyHold) -> Self {
        let renewal = tokio::spawn(renew(service.clone(), hold.clone()));
        Self { service, hold, renewal, settled: false }
    }

    /// The answer in the form in which it is remembered under the key, together with what it did.
    pub(crate) fn answer(&self, answer: &StoredAnswer) -> KeyedAnswer {
        KeyedAnswer {
            scope: self.hold.scope.clone(),
            fingerprint: self.hold.fingerprint.clone(),
            holder: Some(self.hold.holder.clone()),
            status: answer.status,
            content_type: answer.content_type.clone(),
            body: answer.body.clone(),
        }
    }

    /// The answer was stored; there is nothing left to hold.
    pub(crate) fn fulfilled(mut self) {
        self.settled = true;
    }

    /// Frees the key of a request that came to nothing.
    pub(crate) async fn release(mut self) -> Outcome<()> {
        self.renewal.abort();
        self.service.store.release_key(&self.hold).await?;
        self.settled = true;
        Ok(())
    }
}

impl Drop for ReservedKey {
    fn drop(&mut self) {
        self.renewal.abort();
        if self.settled {
            return;
        }
        let (service, hold) = (self.service.clone(), self.hold.clone());
        tokio::spawn(async move {
            if let Err(error) = service.store.release_key(&hold).await {
                tracing::warn!(%error, "cannot release an idempotency key; its lease will");
            }
        });
    }
}

async fn renew(service: Service, hold: KeyHold) {
    loop {
        tokio::time::sleep(Duration::from_millis(LEASE_MS as u64 / 3)).await;
        let until = service.clock.now().plus_ms(LEASE_MS);
        if let Err(error) = service.store.extend_key(&hold, until).await {
            tracing::warn!(%error, "cannot keep an idempotency key now");
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
