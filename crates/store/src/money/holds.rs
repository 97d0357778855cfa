//! Holds of synchronous calls on a balance. They have a lease, so that the hold of a dead process is soon released.

use auris_domain::id::{ProjectId, RequestId};
use auris_domain::money::Usd;
use auris_domain::time::Millis;

use super::balances::{Admission, Shortfall, hold, settle};
use crate::cluster::latest_end;
use crate::error::StoreError;
use crate::sql::{Tx, args, statements};
use crate::store::Store;

/// Maximum number of expired holds that are released at a time.
const RELEASED_AT_ONCE: i64 = 100;

statements! {
    INSERT_HOLD = "INSERT INTO holds (request_id, project_id, amount_e10, lease_until_ms) VALUES ($1, $2, $3, $4)";
    EXTEND_HOLD = "UPDATE holds SET lease_until_ms = $2 WHERE request_id = $1";
    TAKE_HOLD = "DELETE FROM holds WHERE request_id = $1 RETURNING project_id, amount_e10";
    EXPIRED_HOLDS = "SELECT request_id FROM holds WHERE lease_until_ms <= $1 OR lease_until_ms > $2
        ORDER BY lease_until_ms LIMIT $3";
    TAKE_EXPIRED_HOLD = "DELETE FROM holds WHERE request_id = $1 AND (lease_until_ms <= $2 OR lease_until_ms > $3)
        RETURNING project_id, amount_e10";
}

/// A synchronous call and its maximum cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallHold {
    pub request_id: RequestId,
    pub project_id: ProjectId,
    pub bound: Usd,
    pub lease_until: Millis,
}

/// Whether the balance admits a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallAdmission {
    Held,
    /// The project can spend without limit; nothing is held.
    Unlimited,
    InsufficientBalance(Shortfall),
}

impl Store {
    /// Holds the maximum cost of a call, if the balance covers it.
    pub async fn hold_for_call(&self, call: &CallHold, now: Millis) -> Result<CallAdmission, StoreError> {
        let is_short = |admission: &CallAdmission| matches!(admission, CallAdmission::InsufficientBalance(_));
        self.retry_without_expired_holds(now, is_short, || self.try_hold(call)).await
    }

    /// Makes an attempt that may find too little balance; if so, and if expired holds could be released, makes it again.
    pub(crate) async fn retry_without_expired_holds<T, F>(
        &self,
        now: Millis,
        is_short: impl FnOnce(&T) -> bool,
        attempt: impl Fn() -> F,
    ) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        let outcome = attempt().await?;
        if is_short(&outcome) && self.release_expired_holds(now).await? > 0 {
            return attempt().await;
        }
        Ok(outcome)
    }

    async fn try_hold(&self, call: &CallHold) -> Result<CallAdmission, StoreError> {
        let amount = match self.check_balance(&call.project_id, call.bound).await? {
            Admission::Unlimited => return Ok(CallAdmission::Unlimited),
            Admission::Short(shortfall) => return Ok(CallAdmission::InsufficientBalance(shortfall)),
            Admission::Covered(amount) => amount,
        };
        let mut tx = self.database().begin().await?;
        let arguments = args![&call.request_id, &call.project_id, amount, call.lease_until];
        tx.write(&INSERT_HOLD, arguments).await?;
        if let Some(shortfall) = hold(&mut tx, &call.project_id, amount).await? {
            tx.rollback().await?;
            return Ok(CallAdmission::InsufficientBalance(shortfall));
        }
        tx.commit().await?;
        Ok(CallAdmission::Held)
    }

    /// Extends a hold while its call runs.
    pub async fn extend_hold(&self, request: &RequestId, until: Millis) -> Result<(), StoreError> {
        self.database().write(&EXTEND_HOLD, args![request, until]).await.map(drop)
    }

    /// Releases the hold of a call that failed. Releasing it again does nothing.
    pub async fn release_hold(&self, request: &RequestId) -> Result<(), StoreError> {
        let mut tx = self.database().begin().await?;
        if let Some((project, amount)) = take_hold(&mut tx, request).await? {
            settle(&mut tx, &project, amount, 0).await?;
        }
        tx.commit().await
    }

    /// Releases holds whose lease has expired, because their process died, and returns their number.
    pub async fn release_expired_holds(&self, now: Millis) -> Result<u64, StoreError> {
        let latest = latest_end(now);
        let rows = self.database().many_rows(&EXPIRED_HOLDS, args![now, latest, RELEASED_AT_ONCE]).await?;
        let mut released = 0;
        for row in &rows {
            let mut tx = self.database().begin().await?;
            let taken = tx.row(&TAKE_EXPIRED_HOLD, args![row.text("request_id")?, now, latest]).await?;
            if let Some(taken) = taken {
                let project: ProjectId = taken.parsed("project_id")?;
                settle(&mut tx, &project, taken.integer("amount_e10")?, 0).await?;
                released += 1;
            }
            tx.commit().await?;
        }
        Ok(released)
    }
}

/// Deletes a hold in order to settle it; `None` if it was released before.
pub(crate) async fn take_hold(
    tx: &mut Tx,
    request: &RequestId,
) -> Result<Option<(ProjectId, i64)>, StoreError> {
    let Some(row) = tx.row(&TAKE_HOLD, args![request]).await? else {
        return Ok(None);
    };
    Ok(Some((row.parsed("project_id")?, row.integer("amount_e10")?)))
}
