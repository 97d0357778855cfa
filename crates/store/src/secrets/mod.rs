//! Secrets, sealed by the caller before they are stored.

pub(crate) mod keep;
pub(crate) mod reseal;

pub use self::keep::SealedSecrets;
pub use self::reseal::SealedPlace;
