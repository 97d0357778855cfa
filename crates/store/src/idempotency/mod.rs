//! Idempotency keys: a repeated request gets the answer of the first one.

mod held_keys;
mod keys;

pub(crate) use self::keys::{HeldJob, fulfil_key, hold_key, take_key};
pub use self::keys::{KeyHold, KeyScope, Keyed, KeyedResponse, StoredKey, StoredResponse};
use crate::sql::ListedStatement;

pub(crate) const STATEMENTS: &[&[ListedStatement]] = &[held_keys::STATEMENTS, keys::STATEMENTS];
