//! Errors of the store, with one variant per reaction of the caller.

use std::error::Error;

type Source = Box<dyn Error + Send + Sync>;

/// SQLite's codes for temporary failures: locked by another process, out of memory, unreadable, full, cannot be opened.
const SQLITE_TEMPORARY: [i64; 6] = [5, 6, 7, 10, 13, 14];
/// PostgreSQL's code classes for temporary failures: no connection, rolled back because of a concurrent transaction, out
/// of resources, shut down by an operator.
const POSTGRES_TEMPORARY: [&str; 4] = ["08", "40", "53", "57"];

/// Why an operation of the store failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A temporary failure: no connection, a lock that was held for too long, a full disk.
    #[error("the storage is temporarily unavailable")]
    Unavailable(#[source] Source),
    /// A stored row has a value that this program does not write.
    #[error("a stored row cannot be read: {0}")]
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
            sqlx::Error::Database(cause) if is_temporary(cause.code().as_deref()) => {
                Self::Unavailable(error.into())
            }
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            // A server that dies while it sends a message leaves one that cannot be parsed.
            | sqlx::Error::Protocol(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
            | sqlx::Error::BeginFailed => Self::Unavailable(error.into()),
            sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => Self::Corrupt(error.to_string()),
            _ => Self::Internal(error.into()),
        }
    }
}

/// SQLite's codes are numbers whose low byte is the primary code; PostgreSQL's codes have five characters.
fn is_temporary(code: Option<&str>) -> bool {
    match code {
        Some(code) if code.len() == 5 => POSTGRES_TEMPORARY.iter().any(|class| code.starts_with(class)),
        Some(code) => code.parse::<i64>().is_ok_and(|code| SQLITE_TEMPORARY.contains(&(code & 0xff))),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_and_lost_connections_are_temporary_and_violated_constraints_are_not() {
        for code in ["5", "261", "13", "08006", "57P01", "40P01", "53300"] {
            assert!(is_temporary(Some(code)), "{code}");
        }
        for code in ["19", "1555", "23505", "42601"] {
            assert!(!is_temporary(Some(code)), "{code}");
        }
    }
}
