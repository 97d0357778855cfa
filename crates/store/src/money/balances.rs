//! Prepaid balances: an amount is held before work starts and settled to the actual cost when it ends.

use auris_domain::id::{EntryId, ProjectId};
use auris_domain::money::Usd;
use auris_domain::project::Balance;
use auris_domain::time::Millis;

use crate::error::StoreError;
use crate::sql::{Row, Tx, args, statements};
use crate::store::Store;

/// Maximum balance in ten-billionths of a dollar: 400 million dollars, well below the largest 64-bit integer.
const MAX_BALANCE_E10: i64 = 4_000_000_000_000_000_000;
/// Maximum number of attempts to hold an amount. A concurrent job can free balance between the update that finds too
/// little and the read that finds enough; 32 times in a row is far more than can happen.
const MAX_HOLD_ATTEMPTS: usize = 32;

statements! {
    BALANCE = "SELECT balance_e10, held_e10 FROM balances WHERE project_id = $1";
    /// Checks the balance again under the row's lock, so that the last dollar is given away once. The limit may have been
    /// lifted since the balance was read.
    HOLD = "UPDATE balances SET held_e10 = held_e10 + $2
        WHERE project_id = $1 AND (balance_e10 IS NULL OR balance_e10 - held_e10 >= $2)";
    SETTLE = "UPDATE balances SET balance_e10 = balance_e10 - $3, held_e10 = held_e10 - $2
        WHERE project_id = $1 RETURNING balance_e10";
    /// Charges an amount that is not held, if the balance covers it.
    CHARGE = "UPDATE balances SET balance_e10 = balance_e10 - $2 WHERE project_id = $1 AND balance_e10 - held_e10 >= $2";
    OPEN = "INSERT INTO balances (project_id, balance_e10, held_e10) VALUES ($1, NULL, 0) ON CONFLICT DO NOTHING";
    CREDIT = "UPDATE balances SET balance_e10 = COALESCE(balance_e10, 0) + $2
        WHERE project_id = $1 AND COALESCE(balance_e10, 0) + $2 >= held_e10 AND COALESCE(balance_e10, 0) + $2 <= $3";
    LIFT = "UPDATE balances SET balance_e10 = NULL WHERE project_id = $1 AND balance_e10 = $2";
    BOOK_CREDIT = "INSERT INTO ledger
            (id, project_id, model, kind, audio_seconds, input_tokens, output_tokens, characters, amount, created_at,
             from_balance)
        VALUES ($1, $2, '', 'credit', 0, 0, 0, 0, $3, $4, 1)";
}

/// Whether the balance admits a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    /// The request is free, or the project can spend without limit.
    Unlimited,
    /// The balance covers the request; this amount (in ten-billionths of a dollar) must be held.
    Covered(i64),
    Short(Shortfall),
}

/// Why a request was not admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shortfall {
    pub needed: Usd,
    pub balance: Balance,
}

/// The outcome of a credit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Credit {
    Booked(Balance),
    /// The balance would fall below the amount held on it, or exceed the maximum.
    Refused(Balance),
}

impl Store {
    /// The prepaid balance; `None` if the project can spend without limit.
    pub async fn balance(&self, project: &ProjectId) -> Result<Option<Balance>, StoreError> {
        let row = self.database().row(&BALANCE, args![project]).await?;
        row.as_ref().map_or(Ok(None), decode_balance)
    }

    /// Whether the balance covers `bound` now. It takes no lock, so `hold` checks again.
    pub(crate) async fn check_balance(
        &self,
        project: &ProjectId,
        bound: Usd,
    ) -> Result<Admission, StoreError> {
        if bound == Usd::ZERO {
            return Ok(Admission::Unlimited);
        }
        let Some(balance) = self.balance(project).await? else {
            return Ok(Admission::Unlimited);
        };
        match bound.to_e10() {
            Some(amount) if bound <= balance.available() => Ok(Admission::Covered(amount)),
            Some(_) | None => Ok(Admission::Short(Shortfall { needed: bound, balance })),
        }
    }

    /// Adds to the balance, or subtracts from it. A project without a balance gets one.
    pub async fn credit(&self, project: &ProjectId, amount: Usd, now: Millis) -> Result<Credit, StoreError> {
        let mut tx = self.database().begin().await?;
        book_credit(&mut tx, project, amount, now).await?;
        tx.write(&OPEN, args![project]).await?;
        let credited = match amount.to_e10().filter(|parts| parts.abs() < MAX_BALANCE_E10) {
            Some(parts) => tx.write(&CREDIT, args![project, parts, MAX_BALANCE_E10]).await? > 0,
            None => false,
        };
        let balance = balance_or_zero(&mut tx, project).await?;
        if !credited {
            tx.rollback().await?;
            return Ok(Credit::Refused(balance));
        }
        tx.commit().await?;
        Ok(Credit::Booked(balance))
    }

    /// Removes the spending limit and books out the remaining balance. Returns it, or `None` if there was no limit.
    pub async fn lift_balance(&self, project: &ProjectId, now: Millis) -> Result<Option<Usd>, StoreError> {
        loop {
            let Some(balance) = self.balance(project).await? else {
                return Ok(None);
            };
            let mut tx = self.database().begin().await?;
            book_credit(&mut tx, project, balance.total.negated(), now).await?;
            if tx.write(&LIFT, args![project, balance.total.to_e10()]).await? > 0 {
                tx.commit().await?;
                return Ok(Some(balance.total));
            }
            // The balance changed since it was read.
            tx.rollback().await?;
        }
    }
}

/// Holds an amount on the balance; returns what was missing if a concurrent request took it first.
pub(crate) async fn hold(
    tx: &mut Tx,
    project: &ProjectId,
    amount: i64,
) -> Result<Option<Shortfall>, StoreError> {
    let needed = Usd::from_e10(amount);
    for _ in 0..MAX_HOLD_ATTEMPTS {
        if tx.write(&HOLD, args![project, amount]).await? > 0 {
            return Ok(None);
        }
        let balance = balance_or_zero(tx, project).await?;
        if balance.available() < needed {
            return Ok(Some(Shortfall { needed, balance }));
        }
    }
    Err(StoreError::Conflict)
}

/// Releases a held amount and charges the actual cost. Returns false if the limit was lifted in the meantime, so that
/// the balance paid nothing.
pub(crate) async fn settle(
    tx: &mut Tx,
    project: &ProjectId,
    released: i64,
    cost: i64,
) -> Result<bool, StoreError> {
    let row = tx.row(&SETTLE, args![project, released, cost]).await?;
    Ok(row.map(|row| row.optional_integer("balance_e10")).transpose()?.flatten().is_some())
}

/// Charges an amount that is no longer held; returns false if the balance does not cover it.
pub(crate) async fn charge(tx: &mut Tx, project: &ProjectId, cost: i64) -> Result<bool, StoreError> {
    Ok(tx.write(&CHARGE, args![project, cost]).await? > 0)
}

/// The balance in a transaction. Without a limit the total is zero, but an amount can still be held.
async fn balance_or_zero(tx: &mut Tx, project: &ProjectId) -> Result<Balance, StoreError> {
    let Some(row) = tx.row(&BALANCE, args![project]).await? else {
        return Ok(Balance { total: Usd::ZERO, held: Usd::ZERO });
    };
    let total = row.optional_integer("balance_e10")?.unwrap_or_default();
    Ok(Balance { total: Usd::from_e10(total), held: Usd::from_e10(row.integer("held_e10")?) })
}

async fn book_credit(tx: &mut Tx, project: &ProjectId, amount: Usd, now: Millis) -> Result<(), StoreError> {
    // Costs are positive in the ledger, so a credit is negative.
    let arguments = args![&EntryId::generate(now), project, &amount.negated(), now.timestamp()];
    tx.write(&BOOK_CREDIT, arguments).await.map(drop)
}

pub(crate) fn decode_balance(row: &Row) -> Result<Option<Balance>, StoreError> {
    let Some(total) = row.optional_integer("balance_e10")? else {
        return Ok(None);
    };
    Ok(Some(Balance { total: Usd::from_e10(total), held: Usd::from_e10(row.integer("held_e10")?) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::DatabaseSettings;

    const NOW: Millis = Millis(1_763_200_000_000);
    const AMOUNT: i64 = 30_000_000_000;

    #[tokio::test]
    async fn a_limit_that_is_lifted_after_the_check_does_not_refuse_the_hold() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("auris.db").display());
        let store = Store::open(&DatabaseSettings::new(url, 1)).await.unwrap();
        store.migrate().await.unwrap();
        let project = store.create_project("test", NOW).await.unwrap().unwrap().id;
        store.credit(&project, Usd::from_e10(AMOUNT), NOW).await.unwrap();
        store.lift_balance(&project, NOW).await.unwrap();
        let mut tx = store.database().begin().await.unwrap();
        assert_eq!(hold(&mut tx, &project, AMOUNT).await.unwrap(), None);
        assert!(!settle(&mut tx, &project, AMOUNT, 1).await.unwrap(), "the balance paid nothing");
        tx.commit().await.unwrap();
    }
}
