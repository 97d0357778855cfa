//! What can be wrong with a file of weights.

use std::io;
use std::path::{Path, PathBuf};

/// Why weights cannot be read. The text is for the operator who added the file.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    /// The file cannot be opened or read.
    #[error("cannot read `{}`: {error}", .path.display())]
    Io { path: PathBuf, error: io::Error },
    /// The file contradicts itself or is truncated.
    #[error("the file of weights is damaged: {what}")]
    Damaged { what: String },
    /// A tensor that the net needs is not in the file.
    #[error(
        "the file of weights has no tensor `{name}`: it belongs to another kind of model, or it is incomplete"
    )]
    Missing { name: String },
    /// The file is intact, but of a kind that this program does not read.
    #[error("this kind of weights is not supported: {what}")]
    Unsupported { what: String },
}

impl WeightsError {
    pub(crate) fn io(path: &Path, error: io::Error) -> Self {
        Self::Io { path: path.to_owned(), error }
    }

    pub(crate) fn damaged(what: impl Into<String>) -> Self {
        Self::Damaged { what: what.into() }
    }

    /// A file of this length ends before the `count` bytes at `at`.
    pub(crate) fn ends_too_early(count: u64, at: usize, length: usize) -> Self {
        Self::damaged(format!("it ends too early: {count} bytes at {at} are needed, it has {length}"))
    }

    pub(crate) fn missing(name: impl Into<String>) -> Self {
        Self::Missing { name: name.into() }
    }

    pub(crate) fn unsupported(what: impl Into<String>) -> Self {
        Self::Unsupported { what: what.into() }
    }

    /// Adds the name of the file to the text.
    pub(crate) fn of_file(self, path: &Path) -> Self {
        self.with_place(&format!("`{}`", path.display()))
    }

    /// Adds the name of the tensor to the text.
    pub(crate) fn of_tensor(self, name: &str) -> Self {
        self.with_place(&format!("tensor `{name}`"))
    }

    /// Adds the part of the file to the text.
    pub(crate) fn with_place(self, place: &str) -> Self {
        match self {
            Self::Damaged { what } => Self::Damaged { what: format!("{place}: {what}") },
            Self::Unsupported { what } => Self::Unsupported { what: format!("{place}: {what}") },
            Self::Io { .. } | Self::Missing { .. } => self,
        }
    }
}
