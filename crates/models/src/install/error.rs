//! Why a model could not be installed.

use std::io;
use std::path::Path;

/// Why a model could not be installed; the message says what to do.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct InstallError(String);

impl InstallError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    pub(crate) fn at(path: &Path, error: &io::Error) -> Self {
        Self(format!("`{}`: {error}", path.display()))
    }
}
