//! SQLite: one connection writes, the others read beside it.
//!
//! A commit waits for the disk, so commits are what writing costs. Callers take turns on the writing connection, and
//! turns that follow each other closely share one commit: the committer queues for the connection like any caller, and
//! when its turn comes it commits the work of all callers that were before it. `commit` returns to a caller only after
//! its work is on the disk.

use std::sync::Arc;
use std::time::Duration;

use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteRow, SqliteSynchronous,
};
use sqlx::{ConnectOptions, Connection, SqlSafeStr, SqliteConnection, SqlitePool};
use tokio::sync::{Mutex, Notify, OwnedMutexGuard, oneshot};
use tokio::task::AbortHandle;

use super::arguments::Argument;
use super::query::bound;
use super::recording::{self, Recorded};
use crate::error::StoreError;

/// Maximum time that a caller waits for its turn or for a reading connection before it gets `Unavailable`.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum time that SQLite waits for another process, such as a command that runs beside the server.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// SQLite's primary result code for a violated constraint: the statement has no effect, the transaction continues.
const CONSTRAINT: i64 = 19;

/// Opens the writing connection and the pool of readers.
pub(crate) async fn open(
    path: &str,
    readers: u32,
    prepared_statements: usize,
) -> Result<(Writer, SqlitePool), StoreError> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .foreign_keys(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY_TIMEOUT)
        // Deleted content must not remain readable in the file's free pages.
        .pragma("secure_delete", "ON")
        .statement_cache_capacity(prepared_statements)
        .disable_statement_logging();
    let writer = Writer::open(options.clone()).await?;
    let readers = SqlitePoolOptions::new()
        .max_connections(readers.max(1))
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .connect_lazy_with(options.pragma("query_only", "ON"));
    Ok((writer, readers))
}

pub(crate) struct Writer {
    group: Arc<Mutex<Group>>,
    doorbell: Arc<Notify>,
    committer: AbortHandle,
}

/// The writing connection and the transaction on it, which is shared by a group of turns.
struct Group {
    options: SqliteConnectOptions,
    /// `None` only if the state is `Broken` or `Closed`.
    connection: Option<SqliteConnection>,
    state: State,
}

/// Callers whose turn has ended and who wait for the commit. A dropped sender means that the commit failed.
type Members = Vec<oneshot::Sender<()>>;

enum State {
    /// No transaction is open.
    Idle,
    /// A transaction is open, and all turns in it have ended.
    Open(Members),
    /// A transaction is open, and a turn in it has begun: it is running, or its caller abandoned it.
    InTurn(Members),
    /// A statement failed in a way after which SQLite may have rolled back the transaction. The next turn reconnects.
    Broken,
    Closed,
}

/// One caller's turn: its statements take effect when it is committed; if it is dropped, none does.
pub(crate) struct Turn {
    group: OwnedMutexGuard<Group>,
    doorbell: Arc<Notify>,
}

impl Writer {
    async fn open(options: SqliteConnectOptions) -> Result<Self, StoreError> {
        let connection = Some(options.connect().await?);
        let group = Arc::new(Mutex::new(Group { options, connection, state: State::Idle }));
        let doorbell = Arc::new(Notify::new());
        let committer = tokio::spawn(commit_groups(Arc::clone(&group), Arc::clone(&doorbell)));
        Ok(Self { group, doorbell, committer: committer.abort_handle() })
    }

    pub(crate) async fn begin(&self) -> Result<Turn, StoreError> {
        let turn = tokio::time::timeout(ACQUIRE_TIMEOUT, Arc::clone(&self.group).lock_owned());
        let mut group = turn.await.map_err(|_| sqlx::Error::PoolTimedOut)?;
        group.clean().await?;
        group.start().await?;
        recording::note(|| Recorded::Begin);
        Ok(Turn { group, doorbell: Arc::clone(&self.doorbell) })
    }

    pub(crate) async fn close(&self) {
        let mut group = self.group.lock().await;
        group.commit().await;
        group.state = State::Closed;
        if let Some(connection) = group.connection.take() {
            // Everything is committed, so an error here changes nothing.
            let _ = connection.close().await;
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.committer.abort();
    }
}

impl Turn {
    pub(crate) async fn rows(
        &mut self,
        text: &'static str,
        arguments: Vec<Argument>,
    ) -> Result<Vec<SqliteRow>, StoreError> {
        let rows = bound!(text, arguments).fetch_all(self.group.connection()?).await;
        rows.map_err(|error| self.group.note(error))
    }

    pub(crate) async fn write(
        &mut self,
        text: impl SqlSafeStr,
        arguments: Vec<Argument>,
    ) -> Result<u64, StoreError> {
        let done = bound!(text, arguments).execute(self.group.connection()?).await;
        done.map(|done| done.rows_affected()).map_err(|error| self.group.note(error))
    }

    pub(crate) async fn script(&mut self, text: &'static str) -> Result<(), StoreError> {
        let done = sqlx::raw_sql(text).execute(self.group.connection()?).await;
        done.map(drop).map_err(|error| self.group.note(error))
    }

    /// Returns once the work is on the disk. Dropping this future is like losing a connection during a commit: the work
    /// may or may not take effect.
    pub(crate) async fn commit(mut self) -> Result<(), StoreError> {
        let committed = self.group.end_turn()?;
        recording::note(|| Recorded::Commit);
        drop(self);
        committed.await.map_err(|_| commit_failed())
    }
}

impl Drop for Turn {
    /// Wakes the committer, which commits the turn or rolls it back.
    fn drop(&mut self) {
        self.doorbell.notify_one();
    }
}

impl Group {
    fn connection(&mut self) -> Result<&mut SqliteConnection, StoreError> {
        match self.state {
            State::Idle | State::Open(_) | State::InTurn(_) => {
                Ok(self.connection.as_mut().ok_or(sqlx::Error::PoolClosed)?)
            }
            // A further statement would run outside of any transaction.
            State::Broken => Err(commit_failed()),
            State::Closed => Err(sqlx::Error::PoolClosed.into()),
        }
    }

    /// Opens a transaction, or a savepoint in the one that is open, so that this turn can fail without the others.
    async fn start(&mut self) -> Result<(), StoreError> {
        match std::mem::replace(&mut self.state, State::Broken) {
            State::Idle => {
                // Set before the await: if this future is dropped there, the next turn must clean up.
                self.state = State::InTurn(Vec::new());
                // `IMMEDIATE` takes the write lock now; upgrading a read lock later could fail halfway.
                let begun = sqlx::raw_sql("BEGIN IMMEDIATE").execute(self.connection()?).await;
                begun.map(drop).map_err(|error| {
                    self.state = State::Idle;
                    error.into()
                })
            }
            State::Open(members) => {
                self.state = State::InTurn(members);
                let begun = sqlx::raw_sql("SAVEPOINT turn").execute(self.connection()?).await;
                begun.map(drop).map_err(|error| self.note(error))
            }
            state @ (State::InTurn(_) | State::Broken | State::Closed) => {
                self.state = state;
                Err(StoreError::internal("a turn began on a connection that was not ready"))
            }
        }
    }

    /// Adds this turn to the group that is committed next; the receiver resolves when it is.
    fn end_turn(&mut self) -> Result<oneshot::Receiver<()>, StoreError> {
        match std::mem::replace(&mut self.state, State::Broken) {
            State::InTurn(mut members) => {
                let (member, committed) = oneshot::channel();
                members.push(member);
                self.state = State::Open(members);
                Ok(committed)
            }
            state @ (State::Idle | State::Open(_) | State::Broken | State::Closed) => {
                self.state = state;
                Err(commit_failed())
            }
        }
    }

    /// Rolls back a turn that was abandoned, and reconnects if the connection is broken.
    async fn clean(&mut self) -> Result<(), StoreError> {
        let rollback = match &self.state {
            State::Idle | State::Open(_) => return Ok(()),
            State::InTurn(members) if members.is_empty() => "ROLLBACK",
            State::InTurn(_) => "ROLLBACK TO turn",
            State::Broken => return self.reconnect().await,
            State::Closed => return Err(sqlx::Error::PoolClosed.into()),
        };
        if sqlx::raw_sql(rollback).execute(self.connection()?).await.is_err() {
            return self.reconnect().await;
        }
        if let State::InTurn(members) = std::mem::replace(&mut self.state, State::Idle)
            && !members.is_empty()
        {
            self.state = State::Open(members);
        }
        Ok(())
    }

    /// Commits the open transaction and notifies its members.
    async fn commit(&mut self) {
        if self.clean().await.is_err() || !matches!(self.state, State::Open(_)) {
            return;
        }
        let Ok(connection) = self.connection() else {
            return;
        };
        if let Err(error) = sqlx::raw_sql("COMMIT").execute(connection).await {
            tracing::warn!(%error, "a commit failed");
            // If reconnecting fails now, the next turn tries again.
            let _ = self.reconnect().await;
        } else if let State::Open(members) = std::mem::replace(&mut self.state, State::Idle) {
            for member in members {
                // Fails only if the caller has gone away.
                let _ = member.send(());
            }
        }
    }

    /// Opens a new connection. Members of the open transaction learn that it failed from their dropped senders.
    async fn reconnect(&mut self) -> Result<(), StoreError> {
        self.state = State::Broken;
        if let Some(connection) = self.connection.take() {
            let _ = connection.close_hard().await;
        }
        self.connection = Some(self.options.connect().await?);
        self.state = State::Idle;
        Ok(())
    }

    fn note(&mut self, error: sqlx::Error) -> StoreError {
        let code = error.as_database_error().and_then(|cause| cause.code()?.parse::<i64>().ok());
        if code.is_none_or(|code| code & 0xff != CONSTRAINT) {
            self.state = State::Broken;
        }
        error.into()
    }
}

fn commit_failed() -> StoreError {
    StoreError::Unavailable("another statement of this transaction failed, so it was rolled back".into())
}

async fn commit_groups(group: Arc<Mutex<Group>>, doorbell: Arc<Notify>) {
    loop {
        doorbell.notified().await;
        group.lock().await.commit().await;
    }
}

#[cfg(test)]
mod tests {
    use super::super::arguments::args;
    use super::*;

    const INSERT: &str = "INSERT INTO notes (id) VALUES ($1)";

    async fn writer(folder: &tempfile::TempDir) -> (Writer, SqlitePool) {
        let path = folder.path().join("test.db");
        let (writer, readers) = open(path.to_str().unwrap(), 1, 16).await.unwrap();
        let mut turn = writer.begin().await.unwrap();
        turn.script("CREATE TABLE notes (id TEXT NOT NULL PRIMARY KEY)").await.unwrap();
        turn.commit().await.unwrap();
        (writer, readers)
    }

    async fn insert(writer: &Writer, id: &str) -> Result<(), StoreError> {
        let mut turn = writer.begin().await?;
        turn.write(INSERT, args![id]).await?;
        turn.commit().await
    }

    async fn notes(readers: &SqlitePool) -> Vec<String> {
        sqlx::query_scalar("SELECT id FROM notes ORDER BY id").fetch_all(readers).await.unwrap()
    }

    #[tokio::test]
    async fn an_abandoned_turn_is_rolled_back_and_blocks_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let (writer, readers) = writer(&folder).await;
        let mut abandoned = writer.begin().await.unwrap();
        abandoned.write(INSERT, args!["abandoned"]).await.unwrap();
        drop(abandoned);
        insert(&writer, "kept").await.unwrap();
        assert_eq!(notes(&readers).await, ["kept"]);
        // Another process can write, so no transaction was left open.
        let (other, _) = open(folder.path().join("test.db").to_str().unwrap(), 1, 16).await.unwrap();
        insert(&other, "other").await.unwrap();
        assert_eq!(notes(&readers).await, ["kept", "other"]);
    }

    #[tokio::test]
    async fn a_violated_constraint_leaves_the_rest_of_its_turn_and_of_its_group() {
        let folder = tempfile::tempdir().unwrap();
        let (writer, readers) = writer(&folder).await;
        let mut first = writer.begin().await.unwrap();
        first.write(INSERT, args!["one"]).await.unwrap();
        // Queued before the committer, so the second turn joins the first one's transaction.
        let second = async {
            let mut turn = writer.begin().await.unwrap();
            turn.write(INSERT, args!["two"]).await.unwrap();
            assert!(turn.write(INSERT, args!["one"]).await.is_err());
            turn.write(INSERT, args!["three"]).await.unwrap();
            turn.commit().await.unwrap();
        };
        let (first, ()) = tokio::join!(first.commit(), second);
        first.unwrap();
        assert_eq!(notes(&readers).await, ["one", "three", "two"]);
    }

    #[tokio::test]
    async fn a_broken_turn_accepts_no_further_statement_and_the_next_turn_works() {
        let folder = tempfile::tempdir().unwrap();
        let (writer, readers) = writer(&folder).await;
        let mut broken = writer.begin().await.unwrap();
        broken.write(INSERT, args!["lost"]).await.unwrap();
        assert!(broken.write("INSERT INTO missing VALUES (1)", args![]).await.is_err());
        assert!(matches!(broken.write(INSERT, args!["late"]).await, Err(StoreError::Unavailable(_))));
        assert!(matches!(broken.commit().await, Err(StoreError::Unavailable(_))));
        insert(&writer, "next").await.unwrap();
        assert_eq!(notes(&readers).await, ["next"]);
    }

    #[tokio::test]
    async fn a_closed_writer_refuses_turns() {
        let folder = tempfile::tempdir().unwrap();
        let (writer, _) = writer(&folder).await;
        insert(&writer, "kept").await.unwrap();
        writer.close().await;
        assert!(matches!(writer.begin().await.map(drop), Err(StoreError::Unavailable(_))));
    }
}
