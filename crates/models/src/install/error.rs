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
        let advice = match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                "; run the command as a user with the permission, or set `models.dir` to another folder"
            }
            io::ErrorKind::StorageFull => "; free some space on that disk",
            _ => "",
        };
        Self(format!("`{}`: {error}{advice}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_written_is_named_with_what_to_do() {
        let said = |kind: io::ErrorKind| InstallError::at(Path::new("models"), &kind.into()).to_string();
        for kind in [io::ErrorKind::PermissionDenied, io::ErrorKind::ReadOnlyFilesystem] {
            assert!(said(kind).contains("`models`: ") && said(kind).contains("`models.dir`"), "{kind}");
        }
        assert!(said(io::ErrorKind::StorageFull).contains("free some space"));
        assert!(!said(io::ErrorKind::NotFound).contains(';'));
    }
}
