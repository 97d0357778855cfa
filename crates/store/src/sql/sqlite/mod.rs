//! SQLite: one connection writes, the others read beside it.
//!
//! The statements of a transaction, and reads of a few rows, run on the calling thread: they take microseconds, less
//! than passing them to another thread and back. Whatever may take long runs on another thread: commits, which wait for
//! the disk, queries that return many rows, and waiting for a write lock that another process has.
//!
//! Not `sqlx`: it runs each connection on its own thread and sends every row through a channel. A small job, from its
//! creation to its end, took 190 context switches with it and 97 without.

mod connection;
mod readers;
mod row;
mod snapshot;
mod writer;

use std::time::Duration;

use crate::error::StoreError;
use crate::files::private_files;

pub(crate) use self::connection::Connection;
pub(crate) use self::readers::{Reader, Readers};
pub(crate) use self::row::{CellValue, SqliteRow};
pub(crate) use self::snapshot::Snapshot;
pub(crate) use self::writer::{Turn, Writer};

/// Maximum time that a caller waits for its turn or for a reading connection before it gets `Unavailable`.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum time that SQLite waits for another process, such as a command that runs beside the server.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Opens the writing connection. The readers are opened when they are needed.
pub(crate) async fn open(path: &str, readers: u32) -> Result<(Writer, Readers), StoreError> {
    // If this fails, SQLite fails too and says why.
    let _ = private_files::prepare_database(path);
    let writer = Writer::open(path.to_owned()).await?;
    Ok((writer, Readers::new(path.to_owned(), readers.max(1) as usize)))
}

fn closed() -> StoreError {
    StoreError::Unavailable("the database is closed".into())
}

fn timed_out() -> StoreError {
    StoreError::Unavailable("no connection to the database became free in time".into())
}

/// Runs work that may wait on a thread that is meant for it.
async fn on_blocking_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, StoreError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| StoreError::Internal(error.into()))
}
