//! Prepaid balances: looked at and held before work starts, settled to what it cost when it has ended.

use auris_domain::id::{EntryId, ProjectId};
use auris_domain::money::Usd;
use auris_domain::project::Balance;
use auris_domain::time::Millis;

use crate::db::{Row, Tx, args};
use crate::error::StoreError;
use crate::statements::statements;
use crate::store::Store;

/// Far above any balance, and far from where whole numbers end.
const MOST_E10: i64 = 4_000_000_000_000_000_000;
/// Somebody's work may end between the look that finds too little and the next, which then finds enough. Not so often.
const HOLDS: usize = 32;

statements! {
    BALANCE = "SELECT balance_e10, held_e10 FROM balances WHERE project_id = $1";
    /// The condition is looked at again under the row's lock, so that the last dollar is given away once. The limit may
    /// have been lifted since the look.
    HOLD = "UPDATE balances SET held_e10 = held_e10 + $2
        WHERE project_id = $1 AND (balance_e10 IS NULL OR balance_e10 - held_e10 >= $2)";
    SETTLE = "UPDATE balances SET balance_e10 = balance_e10 - $3, held_e10 = held_e10 - $2
        WHERE project_id = $1 RETURNING balance_e10";
    /// Takes what was not held, if it is there.
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

/// What the balance says to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    /// There is nothing to pay, or no balance that could run out.
    Unlimited,
    /// The balance covers it now; this much is to be held.
    Covered(i64),
    Short(Shortfall),
}

/// Why a request was not admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shortfall {
    pub needed: Usd,
    pub balance: Balance,
}

/// What became of a credit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Credit {
    Booked(Balance),
    /// The balance would fall below what is held of it, or grow past all measure.
    Refused(Balance),
}

impl Store {
    /// The prepaid balance; `None` where the project may spend without limit.
    pub async fn balance(&self, project: &ProjectId) -> Result<Option<Balance>, StoreError> {
        let row = self.database().row(&BALANCE, args![project]).await?;
        row.as_ref().map_or(Ok(None), decode_balance)
    }

    /// Whether the balance covers `bound` now. Takes no lock: `hold_in` decides.
    pub(crate) async fn look_at_balance(
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
            Some(parts) if bound <= balance.available() => Ok(Admission::Covered(parts)),
            Some(_) | None => Ok(Admission::Short(Shortfall { needed: bound, balance })),
        }
    }

    /// Adds to the balance, or takes from it; a project that had none has one from now on.
    pub async fn credit(&self, project: &ProjectId, amount: Usd, now: Millis) -> Result<Credit, StoreError> {
        let mut tx = self.database().begin().await?;
        tx.write(&OPEN, args![project]).await?;
        let parts = amount.to_e10().filter(|parts| parts.abs() < MOST_E10);
        let booked = match parts {
            Some(parts) => tx.write(&CREDIT, args![project, parts, MOST_E10]).await? > 0,
            None => false,
        };
        let balance = balance_or_none_in(&mut tx, project).await?;
        if !booked {
            tx.rollback().await?;
            return Ok(Credit::Refused(balance));
        }
        book_credit(&mut tx, project, amount, now).await?;
        tx.commit().await?;
        Ok(Credit::Booked(balance))
    }

    /// Takes the limit away; what was left of the balance is booked out. Returns it, `None` where there was no limit.
    pub async fn lift_balance(&self, project: &ProjectId, now: Millis) -> Result<Option<Usd>, StoreError> {
        loop {
            let Some(balance) = self.balance(project).await? else {
                return Ok(None);
            };
            let mut tx = self.database().begin().await?;
            if tx.write(&LIFT, args![project, balance.total.to_e10()]).await? > 0 {
                book_credit(&mut tx, project, balance.total.negated(), now).await?;
                tx.commit().await?;
                return Ok(Some(balance.total));
            }
            tx.rollback().await?;
        }
    }
}

/// Holds a part of the balance; tells what was missing where a rival was faster.
pub(crate) async fn hold_in(
    tx: &mut Tx,
    project: &ProjectId,
    parts: i64,
) -> Result<Option<Shortfall>, StoreError> {
    let needed = Usd::from_e10(parts);
    for _ in 0..HOLDS {
        if tx.write(&HOLD, args![project, parts]).await? > 0 {
            return Ok(None);
        }
        let balance = balance_or_none_in(tx, project).await?;
        if balance.available() < needed {
            return Ok(Some(Shortfall { needed, balance }));
        }
    }
    Err(StoreError::Conflict)
}

/// Gives back what was held and takes what it cost; false where the limit was lifted meanwhile, so that nobody paid.
pub(crate) async fn settle_in(
    tx: &mut Tx,
    project: &ProjectId,
    released: i64,
    cost: i64,
) -> Result<bool, StoreError> {
    let row = tx.row(&SETTLE, args![project, released, cost]).await?;
    Ok(row.map(|row| row.optional_integer("balance_e10")).transpose()?.flatten().is_some())
}

/// Takes what is not held any more; false where the balance cannot give it.
pub(crate) async fn charge_in(tx: &mut Tx, project: &ProjectId, cost: i64) -> Result<bool, StoreError> {
    Ok(tx.write(&CHARGE, args![project, cost]).await? > 0)
}

/// The balance inside a transaction. None counts as nothing, of which something may be held all the same.
async fn balance_or_none_in(tx: &mut Tx, project: &ProjectId) -> Result<Balance, StoreError> {
    let Some(row) = tx.row(&BALANCE, args![project]).await? else {
        return Ok(Balance { total: Usd::ZERO, held: Usd::ZERO });
    };
    let total = row.optional_integer("balance_e10")?.unwrap_or_default();
    Ok(Balance { total: Usd::from_e10(total), held: Usd::from_e10(row.integer("held_e10")?) })
}

async fn book_credit(tx: &mut Tx, project: &ProjectId, amount: Usd, now: Millis) -> Result<(), StoreError> {
    // Costs are the ledger's positive side.
    let arguments = args![&EntryId::generate(now), project, &amount.negated(), now.timestamp()];
    tx.write(&BOOK_CREDIT, arguments).await.map(drop)
}

pub(crate) fn decode_balance(row: &Row) -> Result<Option<Balance>, StoreError> {
    let Some(total) = row.optional_integer("balance_e10")? else {
        return Ok(None);
    };
    Ok(Some(Balance { total: Usd::from_e10(total), held: Usd::from_e10(row.integer("held_e10")?) }))
}
