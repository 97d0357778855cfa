//! Secrets, sealed by the caller before they are stored.

mod keep;
mod reseal;

pub use self::keep::SealedSecrets;
pub use self::reseal::SealedPlace;
use crate::sql::ListedStatement;

pub(crate) const STATEMENTS: &[&[ListedStatement]] = &[keep::STATEMENTS, reseal::STATEMENTS];
