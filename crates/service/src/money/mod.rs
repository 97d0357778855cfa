//! Money: prepaid balances that running calls hold a part of.

mod balance_hold;

pub(crate) use balance_hold::{BalanceHold, insufficient};
