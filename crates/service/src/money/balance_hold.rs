//! While a synchronous call runs, the most that it can cost is held of the project's prepaid balance.

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::RequestId;
use auris_domain::money::Usd;
use auris_domain::time::Millis;
use auris_store::{CallAdmission, CallHold, Shortfall, Store, StoreError};

use crate::error::Outcome;
use crate::lease_guard::{LeaseGuard, LeasedRow};
use crate::{Caller, Service};

/// A hold that is not renewed for this long is given back.
const HOLD_MS: i64 = 30_000;

/// The call whose cost is held.
#[derive(Clone)]
pub(crate) struct HeldCall(RequestId);

/// The part of a balance that a running call holds. Dropped without being settled, it is given back.
pub(crate) type BalanceHold = LeaseGuard<HeldCall>;

impl Service {
    /// Holds the most that the call can cost. `None` if the project has no balance.
    pub(crate) async fn hold_for_call(
        &self,
        caller: &Caller,
        request_id: &RequestId,
        bound: Usd,
    ) -> Outcome<Option<BalanceHold>> {
        let now = self.clock().now();
        let call = CallHold {
            request_id: request_id.clone(),
            project_id: caller.project_id().clone(),
            bound,
            lease_until: now.plus_ms(HOLD_MS),
        };
        match self.store().hold_for_call(&call, now).await? {
            CallAdmission::Held => Ok(Some(LeaseGuard::new(self.clone(), HeldCall(request_id.clone())))),
            CallAdmission::Unlimited => Ok(None),
            CallAdmission::InsufficientBalance(shortfall) => Err(insufficient(shortfall).into()),
        }
    }
}

impl LeasedRow for HeldCall {
    const NAME: &'static str = "balance hold";
    const LEASE_MS: i64 = HOLD_MS;

    async fn extend(&self, store: &Store, until: Millis) -> Result<(), StoreError> {
        store.extend_hold(&self.0, until).await
    }

    async fn release(&self, store: &Store) -> Result<(), StoreError> {
        store.release_hold(&self.0).await
    }
}

pub(crate) fn insufficient(shortfall: Shortfall) -> ApiError {
    let Shortfall { needed, balance } = shortfall;
    let held = if balance.held == Usd::ZERO {
        String::new()
    } else {
        format!(" of {} USD; the rest is held for running requests", balance.total)
    };
    let message = format!(
        "This request can cost up to {needed} USD, but the project's balance has only {} USD available{held}. \
         Request less, or add to the balance.",
        balance.available()
    );
    ApiError::new(ErrorCode::InsufficientBalance, message)
}
