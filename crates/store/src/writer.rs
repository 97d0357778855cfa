//! SQLite's one writer: whoever wants to write takes a turn, and turns that come close together share one commit.
//!
//! A commit waits for the disk, so it is what costs. The committer queues for the connection like everybody else, behind
//! those who queued before it; when it gets there, all their work goes to the disk at once. Nobody hears that its turn is
//! committed before it is.

use std::sync::Arc;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteRow};
use sqlx::{ConnectOptions, Connection, SqliteConnection};
use tokio::sync::{Mutex, Notify, OwnedMutexGuard, oneshot};
use tokio::task::AbortHandle;

use crate::db::{Argument, bound};
use crate::error::StoreError;

/// How long a caller waits for its turn before it hears `Unavailable`.
const TURN_TIMEOUT: Duration = Duration::from_secs(30);
/// SQLite's code for a broken constraint: the statement came to nothing, the transaction goes on.
const CONSTRAINT: i64 = 19;

pub(crate) struct Writer {
    group: Arc<Mutex<Group>>,
    doorbell: Arc<Notify>,
    committer: AbortHandle,
}

/// The connection, and what is open on it.
struct Group {
    options: SqliteConnectOptions,
    connection: Option<SqliteConnection>,
    closed: bool,
    /// A transaction is open.
    open: bool,
    /// Somebody's turn is not ended, or was left in the middle.
    unfinished: bool,
    /// Something failed after which SQLite may have rolled everything back.
    broken: bool,
    /// Those who ended their turn and wait to hear that it is committed.
    members: Vec<oneshot::Sender<()>>,
}

/// One caller's turn: its statements count only when it is committed, and not at all when it is dropped.
pub(crate) struct Turn {
    group: OwnedMutexGuard<Group>,
    doorbell: Arc<Notify>,
}

impl Writer {
    pub(crate) async fn open(options: SqliteConnectOptions) -> Result<Self, StoreError> {
        let group = Group {
            connection: Some(options.connect().await?),
            options,
            closed: false,
            open: false,
            unfinished: false,
            broken: false,
            members: Vec::new(),
        };
        let (group, doorbell) = (Arc::new(Mutex::new(group)), Arc::new(Notify::new()));
        let committer = tokio::spawn(commit_groups(Arc::clone(&group), Arc::clone(&doorbell)));
        Ok(Self { group, doorbell, committer: committer.abort_handle() })
    }

    pub(crate) async fn begin(&self) -> Result<Turn, StoreError> {
        let turn = tokio::time::timeout(TURN_TIMEOUT, Arc::clone(&self.group).lock_owned());
        let mut group = turn.await.map_err(|_| sqlx::Error::PoolTimedOut)?;
        group.clean().await?;
        group.start().await?;
        Ok(Turn { group, doorbell: Arc::clone(&self.doorbell) })
    }

    pub(crate) async fn close(&self) {
        let mut group = self.group.lock().await;
        group.settle().await;
        group.closed = true;
        if let Some(connection) = group.connection.take() {
            // Everything is committed; an error here changes nothing.
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
        text: &'static str,
        arguments: Vec<Argument>,
    ) -> Result<u64, StoreError> {
        let done = bound!(text, arguments).execute(self.group.connection()?).await;
        done.map(|done| done.rows_affected()).map_err(|error| self.group.note(error))
    }

    pub(crate) async fn script(&mut self, text: &'static str) -> Result<(), StoreError> {
        let done = sqlx::raw_sql(text).execute(self.group.connection()?).await;
        done.map(drop).map_err(|error| self.group.note(error))
    }

    /// Returns once the work is on the disk. Dropping this future is like a connection lost in a commit: the work may count.
    pub(crate) async fn commit(mut self) -> Result<(), StoreError> {
        let (member, committed) = oneshot::channel();
        self.group.unfinished = false;
        self.group.members.push(member);
        drop(self);
        committed.await.map_err(|_| StoreError::Unavailable("the group of this commit failed".into()))
    }
}

impl Drop for Turn {
    /// Committed or left: either way the committer has something to do.
    fn drop(&mut self) {
        self.doorbell.notify_one();
    }
}

impl Group {
    fn connection(&mut self) -> Result<&mut SqliteConnection, StoreError> {
        Ok(self.connection.as_mut().ok_or(sqlx::Error::PoolClosed)?)
    }

    /// Opens a transaction, or a part of the one that is open, which can fail without the rest.
    async fn start(&mut self) -> Result<(), StoreError> {
        let joins = std::mem::replace(&mut self.open, true);
        self.unfinished = true;
        // The write lock is taken at once: upgrading later could fail half-way.
        let text = if joins { "SAVEPOINT turn" } else { "BEGIN IMMEDIATE" };
        let started = sqlx::raw_sql(text).execute(self.connection()?).await;
        if started.is_err() && !joins {
            (self.open, self.unfinished) = (false, false);
        }
        started.map(drop).map_err(|error| if joins { self.note(error) } else { error.into() })
    }

    /// Undoes a turn that was left in the middle.
    async fn clean(&mut self) -> Result<(), StoreError> {
        if self.closed {
            return Err(sqlx::Error::PoolClosed.into());
        }
        if self.broken || self.connection.is_none() {
            return self.reset().await;
        }
        if !self.unfinished {
            return Ok(());
        }
        let alone = self.members.is_empty();
        let text = if alone { "ROLLBACK" } else { "ROLLBACK TO turn" };
        if sqlx::raw_sql(text).execute(self.connection()?).await.is_err() {
            return self.reset().await;
        }
        (self.open, self.unfinished) = (!alone, false);
        Ok(())
    }

    /// Commits what is there and tells its members.
    async fn settle(&mut self) {
        if self.clean().await.is_err() || !self.open {
            return;
        }
        let Ok(connection) = self.connection() else {
            return;
        };
        match sqlx::raw_sql("COMMIT").execute(connection).await {
            Ok(_) => {
                self.open = false;
                for member in self.members.drain(..) {
                    // A caller that went away need not hear of it.
                    let _ = member.send(());
                }
            }
            Err(error) => {
                tracing::warn!(%error, "a commit failed");
                self.broken = true;
                // If there is no new connection now, the next turn tries again.
                let _ = self.reset().await;
            }
        }
    }

    /// Starts afresh on a new connection. Members of the open group hear of it by their dropped senders.
    async fn reset(&mut self) -> Result<(), StoreError> {
        self.members.clear();
        (self.open, self.unfinished) = (false, false);
        if let Some(connection) = self.connection.take() {
            let _ = connection.close_hard().await;
        }
        self.connection = Some(self.options.connect().await?);
        self.broken = false;
        Ok(())
    }

    fn note(&mut self, error: sqlx::Error) -> StoreError {
        let code = error.as_database_error().and_then(|cause| cause.code()?.parse::<i64>().ok());
        self.broken |= code.is_none_or(|code| code & 0xff != CONSTRAINT);
        error.into()
    }
}

async fn commit_groups(group: Arc<Mutex<Group>>, doorbell: Arc<Notify>) {
    loop {
        doorbell.notified().await;
        group.lock().await.settle().await;
    }
}
