//! What a synchronous call may cost is held of a prepaid balance while it runs.

use std::time::Duration;

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::RequestId;
use auris_domain::money::Usd;
use auris_store::{CallAdmission, CallHold, Shortfall};

use crate::error::Outcome;
use crate::{Caller, Service};

/// A call whose process is silent for this long holds nothing any more.
const LEASE_MS: i64 = 30_000;

/// A part of the balance that a running call holds. Dropped without being settled, it is given back.
pub(crate) struct Held {
    service: Service,
    request_id: RequestId,
    renewal: tokio::task::JoinHandle<()>,
    settled: bool,
}

impl Service {
    /// Holds what the call can cost at most; `None` where no balance limits it.
    pub(crate) async fn hold_for_call(
        &self,
        caller: &Caller,
        request_id: &RequestId,
        bound: Usd,
    ) -> Outcome<Option<Held>> {
        let now = self.clock.now();
        let call = CallHold {
            request_id: request_id.clone(),
            project_id: caller.project_id().clone(),
            bound,
            lease_until: now.plus_ms(LEASE_MS),
        };
        match self.store.hold_for_call(&call, now).await? {
            CallAdmission::Held => Ok(Some(Held::keep(self.clone(), request_id.clone()))),
            CallAdmission::Unlimited => Ok(None),
            CallAdmission::InsufficientBalance(shortfall) => Err(insufficient(shortfall).into()),
        }
    }
}

impl Held {
    fn keep(service: Service, request_id: RequestId) -> Self {
        let renewal = tokio::spawn(renew(service.clone(), request_id.clone()));
        Self { service, request_id, renewal, settled: false }
    }

    /// The booking took what it cost and gave the rest back.
    pub(crate) fn settled(mut self) {
        self.settled = true;
    }

    /// Gives it back now, so that the caller who hears of a failure can use it at once.
    pub(crate) async fn release(mut self) {
        self.settled = true;
        self.renewal.abort();
        give_back(&self.service, &self.request_id).await;
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.renewal.abort();
        if self.settled {
            return;
        }
        let (service, request_id) = (self.service.clone(), self.request_id.clone());
        tokio::spawn(async move { give_back(&service, &request_id).await });
    }
}

async fn give_back(service: &Service, request_id: &RequestId) {
    if let Err(error) = service.store.release_hold(request_id).await {
        tracing::warn!(%error, %request_id, "cannot give back what a call held; its lease will");
    }
}

async fn renew(service: Service, request_id: RequestId) {
    loop {
        tokio::time::sleep(Duration::from_millis(LEASE_MS as u64 / 3)).await;
        let until = service.clock.now().plus_ms(LEASE_MS);
        if let Err(error) = service.store.extend_hold(&request_id, until).await {
            tracing::warn!(%error, %request_id, "cannot keep what a call holds now");
        }
    }
}

pub(crate) fn insufficient(shortfall: Shortfall) -> ApiError {
    let Shortfall { needed, balance } = shortfall;
    let held = if balance.held == Usd::ZERO {
        String::new()
    } else {
        format!(" of {} USD, the rest being held for requests under way", balance.total)
    };
    let message = format!(
        "This request can cost up to {needed} USD, and {} USD of the project's balance are left{held}; \
         ask for less, or add to the balance.",
        balance.available()
    );
    ApiError::new(ErrorCode::InsufficientBalance, message)
}
