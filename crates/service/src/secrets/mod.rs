//! Secrets: the master keys that encrypt what is stored and sign what is given out.

mod master_key;
mod master_keys;

pub use master_key::{MasterKey, SealError};
pub use master_keys::MasterKeys;

pub(crate) use master_key::SEALED_ANSWER;
