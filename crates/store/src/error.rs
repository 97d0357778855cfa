//! Errors of the store, with one variant per reaction of the caller.

use std::error::Error;

use rusqlite::ErrorCode;

type Source = Box<dyn Error + Send + Sync>;

/// PostgreSQL's code classes for temporary failures: no connection, rolled back because of a concurrent transaction, out
/// of resources, shut down by an operator.
const POSTGRES_TEMPORARY: [&str; 4] = ["08", "40", "53", "57"];

/// Why an operation of the store failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A temporary failure: no connection, a lock that was held for too long, a full disk.
    #[error("the storage is temporarily unavailable")]
    Unavailable(#[source] Source),
    /// A row or a blob has a value that this program does not write.
    #[error("a stored value cannot be read: {0}")]
    Corrupt(String),
    /// The job was changed since it was loaded, and nothing was written. Load it again.
    #[error("the job was changed concurrently")]
    Conflict,
    /// A fault in this program or in the setup of the database.
    #[error("the storage operation failed")]
    Internal(#[source] Source),
}

impl StoreError {
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::Internal(message.into().into())
    }

    pub(crate) fn unavailable(error: std::io::Error) -> Self {
        Self::Unavailable(error.into())
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::Database(cause) if is_temporary_in_postgres(cause.code().as_deref()) => {
                Self::Unavailable(error.into())
            }
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            // A server that dies while it sends a message leaves one that cannot be parsed.
            | sqlx::Error::Protocol(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::BeginFailed => Self::Unavailable(error.into()),
            sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => Self::Corrupt(error.to_string()),
            _ => Self::Internal(error.into()),
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match &error {
            rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..)
            | rusqlite::Error::FromSqlConversionFailure(..) => Self::Corrupt(error.to_string()),
            _ if error.sqlite_error_code().is_some_and(is_temporary_in_sqlite) => {
                Self::Unavailable(error.into())
            }
            _ => Self::Internal(error.into()),
        }
    }
}

fn is_temporary_in_postgres(code: Option<&str>) -> bool {
    code.is_some_and(|code| POSTGRES_TEMPORARY.iter().any(|class| code.starts_with(class)))
}

/// Locked by another process, out of memory, unreadable, full, or cannot be opened.
fn is_temporary_in_sqlite(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::OutOfMemory
            | ErrorCode::SystemIoFailure
            | ErrorCode::DiskFull
            | ErrorCode::CannotOpen
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_and_lost_connections_are_temporary_and_violated_constraints_are_not() {
        for code in ["08006", "57P01", "40P01", "53300"] {
            assert!(is_temporary_in_postgres(Some(code)), "{code}");
        }
        for code in ["23505", "42601"] {
            assert!(!is_temporary_in_postgres(Some(code)), "{code}");
        }
        assert!(is_temporary_in_sqlite(ErrorCode::DatabaseBusy));
        assert!(is_temporary_in_sqlite(ErrorCode::DiskFull));
        assert!(!is_temporary_in_sqlite(ErrorCode::ConstraintViolation));
    }
}
