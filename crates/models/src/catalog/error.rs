//! Why a catalogue file is rejected.

/// The catalogue file is invalid; the message says where and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CatalogError(pub(super) String);

impl CatalogError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}
