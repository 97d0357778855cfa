//! What is held of a balance for synchronous calls: under a lease, so that a dead process holds nothing for long.

use auris_domain::id::{ProjectId, RequestId};
use auris_domain::money::Usd;
use auris_domain::time::Millis;

use crate::balances::{Admission, Shortfall, hold_in, settle_in};
use crate::db::{Tx, args};
use crate::error::StoreError;
use crate::statements::statements;
use crate::store::Store;

/// Expired holds that are given back at a time.
const BITE: i64 = 100;

statements! {
    INSERT_HOLD = "INSERT INTO holds (request_id, project_id, amount_e10, lease_until_ms) VALUES ($1, $2, $3, $4)";
    EXTEND_HOLD = "UPDATE holds SET lease_until_ms = $2 WHERE request_id = $1";
    TAKE_HOLD = "DELETE FROM holds WHERE request_id = $1 RETURNING project_id, amount_e10";
    EXPIRED_HOLDS = "SELECT request_id FROM holds WHERE lease_until_ms <= $1 ORDER BY lease_until_ms LIMIT $2";
    TAKE_EXPIRED_HOLD = "DELETE FROM holds WHERE request_id = $1 AND lease_until_ms <= $2
        RETURNING project_id, amount_e10";
}

/// A call that wants to run, and what it can cost at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallHold {
    pub request_id: RequestId,
    pub project_id: ProjectId,
    pub bound: Usd,
    pub lease_until: Millis,
}

/// What became of a call's wish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallAdmission {
    Held,
    /// No balance, nothing held.
    Unlimited,
    InsufficientBalance(Shortfall),
}

impl Store {
    /// Holds what a call can cost, if the balance covers it.
    pub async fn hold_for_call(&self, call: &CallHold, now: Millis) -> Result<CallAdmission, StoreError> {
        let admission = self.try_hold(call).await?;
        match admission {
            CallAdmission::InsufficientBalance(_) if self.release_expired_holds(now).await? > 0 => {
                self.try_hold(call).await
            }
            admission => Ok(admission),
        }
    }

    async fn try_hold(&self, call: &CallHold) -> Result<CallAdmission, StoreError> {
        let parts = match self.look_at_balance(&call.project_id, call.bound).await? {
            Admission::Unlimited => return Ok(CallAdmission::Unlimited),
            Admission::Short(shortfall) => return Ok(CallAdmission::InsufficientBalance(shortfall)),
            Admission::Covered(parts) => parts,
        };
        let mut tx = self.database().begin().await?;
        let arguments = args![&call.request_id, &call.project_id, parts, call.lease_until];
        tx.write(&INSERT_HOLD, arguments).await?;
        if let Some(shortfall) = hold_in(&mut tx, &call.project_id, parts).await? {
            tx.rollback().await?;
            return Ok(CallAdmission::InsufficientBalance(shortfall));
        }
        tx.commit().await?;
        Ok(CallAdmission::Held)
    }

    /// Keeps a hold while its call runs.
    pub async fn extend_hold(&self, request: &RequestId, until: Millis) -> Result<(), StoreError> {
        self.database().write(&EXTEND_HOLD, args![request, until]).await.map(drop)
    }

    /// Gives back what was held for a call that came to nothing; a second time nothing happens.
    pub async fn release_hold(&self, request: &RequestId) -> Result<(), StoreError> {
        let mut tx = self.database().begin().await?;
        if let Some((project, parts)) = take_hold(&mut tx, request).await? {
            settle_in(&mut tx, &project, parts, 0).await?;
        }
        tx.commit().await
    }

    /// Gives back what calls held whose process is gone; returns how many there were.
    pub async fn release_expired_holds(&self, now: Millis) -> Result<u64, StoreError> {
        let rows = self.database().rows(&EXPIRED_HOLDS, args![now, BITE]).await?;
        let mut released = 0;
        for row in &rows {
            let mut tx = self.database().begin().await?;
            let taken = tx.row(&TAKE_EXPIRED_HOLD, args![row.text("request_id")?, now]).await?;
            if let Some(taken) = taken {
                let project: ProjectId = taken.parsed("project_id")?;
                settle_in(&mut tx, &project, taken.integer("amount_e10")?, 0).await?;
                released += 1;
            }
            tx.commit().await?;
        }
        Ok(released)
    }
}

/// Takes a hold away, to settle it; `None` where it was given back already.
pub(crate) async fn take_hold(
    tx: &mut Tx,
    request: &RequestId,
) -> Result<Option<(ProjectId, i64)>, StoreError> {
    let Some(row) = tx.row(&TAKE_HOLD, args![request]).await? else {
        return Ok(None);
    };
    Ok(Some((row.parsed("project_id")?, row.integer("amount_e10")?)))
}
