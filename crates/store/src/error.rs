//! What can go wrong in the store, told apart only where a caller acts differently.

use std::error::Error;

type Source = Box<dyn Error + Send + Sync>;

/// SQLite: locked by another process, out of memory, unreadable, full or not to be opened. All may pass.
const SQLITE_PASSING: [i64; 6] = [5, 6, 7, 10, 13, 14];
/// PostgreSQL, by class: no connection, rolled back by rivalry, out of resources, shut down by an operator.
const POSTGRES_PASSING: [&str; 4] = ["08", "40", "53", "57"];

/// Why the store could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It may work in a moment: no connection, a lock held for too long, a full disk.
    #[error("the storage cannot be reached at the moment")]
    Unavailable(#[source] Source),
    /// A stored row is not what this program writes.
    #[error("a stored row cannot be read: {0}")]
    Corrupt(String),
    /// The job was changed since it was loaded; nothing was written. Load it again.
    #[error("the job was changed by someone else")]
    Conflict,
    /// A fault in this program or in how the database was set up.
    #[error("the storage refused what it was asked")]
    Internal(#[source] Source),
}

impl StoreError {
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::Internal(message.into().into())
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::Database(cause) if is_passing(cause.code().as_deref()) => {
                Self::Unavailable(error.into())
            }
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            // A server that dies in the middle of a message leaves one that means nothing.
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

/// SQLite's codes are numbers whose low byte is the primary one, PostgreSQL's have five characters.
fn is_passing(code: Option<&str>) -> bool {
    match code {
        Some(code) if code.len() == 5 => POSTGRES_PASSING.iter().any(|class| code.starts_with(class)),
        Some(code) => code.parse::<i64>().is_ok_and(|code| SQLITE_PASSING.contains(&(code & 0xff))),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_and_lost_connections_pass_and_broken_constraints_do_not() {
        for code in ["5", "261", "13", "08006", "57P01", "40P01", "53300"] {
            assert!(is_passing(Some(code)), "{code}");
        }
        for code in ["19", "1555", "23505", "42601"] {
            assert!(!is_passing(Some(code)), "{code}");
        }
    }
}
