//! Money: prepaid balances, holds on them, and the ledger of what work cost.

mod balances;
mod holds;
mod ledger;
mod usage;

pub(crate) use self::balances::{Admission, decode_balance, hold, settle};
pub use self::balances::{Credit, Shortfall};
pub use self::holds::{CallAdmission, CallHold};
pub use self::ledger::SyncUsage;
pub(crate) use self::ledger::{EndedSteps, book_ended};
pub use self::usage::{Span, UsageLine};
use crate::sql::ListedStatement;

pub(crate) const STATEMENTS: &[&[ListedStatement]] =
    &[balances::STATEMENTS, holds::STATEMENTS, ledger::STATEMENTS, usage::STATEMENTS];
