//! The writing connection, which callers use in turns.
//!
//! A commit waits for the disk, so commits are what writing costs. Turns that follow each other closely share one
//! commit: the committer queues for the connection like any caller, and when its turn comes it commits the work of all
//! callers that were before it. `commit` returns to a caller only after its work is on the disk.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use rusqlite::ErrorCode;
use tokio::sync::{Mutex, OwnedMutexGuard, oneshot};

use super::{ACQUIRE_TIMEOUT, Connection, SqliteRow, closed, on_blocking_thread, timed_out};
use crate::error::StoreError;
use crate::sql::arguments::Argument;
use crate::sql::recording::{self, Recorded};

pub(crate) struct Writer {
    group: Arc<Mutex<Group>>,
    doorbell: SyncSender<()>,
}

/// The writing connection and the transaction on it, which is shared by a group of turns.
struct Group {
    path: String,
    /// `None` only if the state is `Broken` or `Closed`.
    connection: Option<Connection>,
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
    /// Declared last, so that the committer is woken when the connection is free.
    _wakes_committer: WakesCommitter,
}

/// Wakes the committer when it is dropped: it commits the turn or rolls it back.
struct WakesCommitter(SyncSender<()>);

impl Writer {
    pub(super) async fn open(path: String) -> Result<Self, StoreError> {
        let group = on_blocking_thread(move || Group::open(path)).await??;
        let group = Arc::new(Mutex::new(group));
        // One ring is enough, because the committer commits everything that it finds.
        let (doorbell, rings) = sync_channel(1);
        let committed = Arc::clone(&group);
        std::thread::Builder::new()
            .name("auris-commit".to_owned())
            .spawn(move || commit_groups(&committed, &rings))
            .map_err(StoreError::unavailable)?;
        Ok(Self { group, doorbell })
    }

    pub(crate) async fn begin(&self) -> Result<Turn, StoreError> {
        let lock = tokio::time::timeout(ACQUIRE_TIMEOUT, Arc::clone(&self.group).lock_owned());
        let group = lock.await.map_err(|_| timed_out())?;
        let mut turn = Turn { group, _wakes_committer: WakesCommitter(self.doorbell.clone()) };
        turn.group.clean()?;
        if !turn.group.start()? {
            turn = on_blocking_thread(move || turn.group.wait_and_start().map(|()| turn)).await??;
        }
        recording::note(|| Recorded::Begin);
        Ok(turn)
    }

    pub(crate) async fn close(&self) {
        let mut group = Arc::clone(&self.group).lock_owned().await;
        // Everything is committed then, so an error here changes nothing.
        let _ = on_blocking_thread(move || group.close()).await;
    }
}

impl Turn {
    pub(crate) fn rows(&mut self, text: &str, arguments: &[Argument]) -> Result<Vec<SqliteRow>, StoreError> {
        recording::note_statement(text, arguments);
        let rows = self.group.connection()?.rows(text, arguments);
        rows.map_err(|error| self.group.note(error))
    }

    pub(crate) fn write(&mut self, text: &str, arguments: &[Argument]) -> Result<u64, StoreError> {
        recording::note_statement(text, arguments);
        let done = self.group.connection()?.write(text, arguments);
        done.map_err(|error| self.group.note(error))
    }

    pub(crate) fn script(&mut self, text: &str) -> Result<(), StoreError> {
        let done = self.group.connection()?.script(text);
        done.map_err(|error| self.group.note(error))
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

impl Drop for WakesCommitter {
    fn drop(&mut self) {
        // Fails if the committer is being woken already.
        let _ = self.0.try_send(());
    }
}

impl Group {
    fn open(path: String) -> Result<Self, StoreError> {
        let connection = Some(open_writing(&path)?);
        Ok(Self { path, connection, state: State::Idle })
    }

    fn connection(&self) -> Result<&Connection, StoreError> {
        match self.state {
            State::Idle | State::Open(_) | State::InTurn(_) => self.connection.as_ref().ok_or_else(closed),
            // A further statement would run outside of any transaction.
            State::Broken => Err(commit_failed()),
            State::Closed => Err(closed()),
        }
    }

    /// Opens a transaction, or a savepoint in the one that is open, so that this turn can fail without the others.
    /// Returns whether it could: false if another process has the write lock.
    fn start(&mut self) -> Result<bool, StoreError> {
        match std::mem::replace(&mut self.state, State::Broken) {
            State::Idle => {
                self.state = State::Idle;
                // `IMMEDIATE` takes the write lock now; upgrading a read lock later could fail halfway.
                match self.connection()?.write("BEGIN IMMEDIATE", &[]) {
                    Ok(_) => self.state = State::InTurn(Vec::new()),
                    Err(error) if is_busy(&error) => return Ok(false),
                    Err(error) => return Err(error.into()),
                }
            }
            State::Open(members) => {
                self.state = State::InTurn(members);
                let begun = self.connection()?.write("SAVEPOINT turn", &[]);
                begun.map_err(|error| self.note(error))?;
            }
            state @ (State::InTurn(_) | State::Broken | State::Closed) => {
                self.state = state;
                return Err(StoreError::internal("a turn began on a connection that was not ready"));
            }
        }
        Ok(true)
    }

    /// Waits for the other process before it starts.
    fn wait_and_start(&mut self) -> Result<(), StoreError> {
        self.connection()?.wait_for_others(true)?;
        let started = self.start();
        self.connection()?.wait_for_others(false)?;
        match started? {
            true => Ok(()),
            false => Err(StoreError::Unavailable("another process is writing to the database".into())),
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
    fn clean(&mut self) -> Result<(), StoreError> {
        let rollback = match &self.state {
            State::Idle | State::Open(_) => return Ok(()),
            State::InTurn(members) if members.is_empty() => "ROLLBACK",
            State::InTurn(_) => "ROLLBACK TO turn",
            State::Broken => return self.reconnect(),
            State::Closed => return Err(closed()),
        };
        if self.connection()?.write(rollback, &[]).is_err() {
            return self.reconnect();
        }
        if let State::InTurn(members) = std::mem::replace(&mut self.state, State::Idle)
            && !members.is_empty()
        {
            self.state = State::Open(members);
        }
        Ok(())
    }

    /// Commits the open transaction and notifies its members.
    fn commit(&mut self) {
        if self.clean().is_err() || !matches!(self.state, State::Open(_)) {
            return;
        }
        let Ok(connection) = self.connection() else {
            return;
        };
        if let Err(error) = connection.write("COMMIT", &[]) {
            tracing::warn!(%error, "a commit failed");
            // If reconnecting fails now, the next turn tries again.
            let _ = self.reconnect();
        } else if let State::Open(members) = std::mem::replace(&mut self.state, State::Idle) {
            for member in members {
                // Fails only if the caller has gone away.
                let _ = member.send(());
            }
        }
    }

    fn close(&mut self) {
        self.commit();
        self.state = State::Closed;
        self.connection = None;
    }

    /// Opens a new connection. Members of the open transaction learn that it failed from their dropped senders.
    fn reconnect(&mut self) -> Result<(), StoreError> {
        self.state = State::Broken;
        self.connection = None;
        self.connection = Some(open_writing(&self.path)?);
        self.state = State::Idle;
        Ok(())
    }

    fn note(&mut self, error: rusqlite::Error) -> StoreError {
        // The statement has no effect then, and the transaction continues.
        if error.sqlite_error_code() != Some(ErrorCode::ConstraintViolation) {
            self.state = State::Broken;
        }
        error.into()
    }
}

fn open_writing(path: &str) -> Result<Connection, StoreError> {
    let connection = Connection::open(path)?;
    connection.wait_for_others(false)?;
    Ok(connection)
}

fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}

fn commit_failed() -> StoreError {
    StoreError::Unavailable("another statement of this transaction failed, so it was rolled back".into())
}

/// Ends when the writer and all turns are dropped.
fn commit_groups(group: &Mutex<Group>, rings: &Receiver<()>) {
    while rings.recv().is_ok() {
        group.blocking_lock().commit();
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::CellValue;
    use super::super::{Readers, open};
    use super::*;

    const INSERT: &str = "INSERT INTO notes (id) VALUES ($1)";

    async fn writer(folder: &tempfile::TempDir) -> (Writer, Readers) {
        let path = folder.path().join("test.db");
        let (writer, readers) = open(path.to_str().unwrap(), 1).await.unwrap();
        let mut turn = writer.begin().await.unwrap();
        turn.script("CREATE TABLE notes (id TEXT NOT NULL PRIMARY KEY)").unwrap();
        turn.commit().await.unwrap();
        (writer, readers)
    }

    async fn insert(writer: &Writer, id: &str) -> Result<(), StoreError> {
        let mut turn = writer.begin().await?;
        turn.write(INSERT, &[id.into()])?;
        turn.commit().await
    }

    async fn notes(readers: &Readers) -> Vec<String> {
        let reader = readers.take().await.unwrap();
        let rows = reader.connection().unwrap().rows("SELECT id FROM notes ORDER BY id", &[]).unwrap();
        let text = |row: &SqliteRow| match row.get("id") {
            Some(CellValue::Text(text)) => text.to_owned(),
            other => panic!("not a text: {other:?}"),
        };
        rows.iter().map(text).collect()
    }

    #[tokio::test]
    async fn an_abandoned_turn_is_rolled_back_and_blocks_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let (writer, readers) = writer(&folder).await;
        let mut abandoned = writer.begin().await.unwrap();
        abandoned.write(INSERT, &["abandoned".into()]).unwrap();
        drop(abandoned);
        insert(&writer, "kept").await.unwrap();
        assert_eq!(notes(&readers).await, ["kept"]);
        // Another process can write, so no transaction was left open.
        let (other, _) = open(folder.path().join("test.db").to_str().unwrap(), 1).await.unwrap();
        insert(&other, "other").await.unwrap();
        assert_eq!(notes(&readers).await, ["kept", "other"]);
    }

    #[tokio::test]
    async fn a_violated_constraint_leaves_the_rest_of_its_turn_and_of_its_group() {
        let folder = tempfile::tempdir().unwrap();
        let (writer, readers) = writer(&folder).await;
        let mut first = writer.begin().await.unwrap();
        first.write(INSERT, &["one".into()]).unwrap();
        let second = async {
            let mut turn = writer.begin().await.unwrap();
            turn.write(INSERT, &["two".into()]).unwrap();
            assert!(turn.write(INSERT, &["one".into()]).is_err());
            turn.write(INSERT, &["three".into()]).unwrap();
            turn.commit().await.unwrap();
        };
        // The second turn is queued before the committer, so it joins the first one's transaction.
        let ((), first) = tokio::join!(second, first.commit());
        first.unwrap();
        assert_eq!(notes(&readers).await, ["one", "three", "two"]);
    }

    #[tokio::test]
    async fn a_broken_turn_accepts_no_further_statement_and_the_next_turn_works() {
        let folder = tempfile::tempdir().unwrap();
        let (writer, readers) = writer(&folder).await;
        let mut broken = writer.begin().await.unwrap();
        broken.write(INSERT, &["lost".into()]).unwrap();
        assert!(broken.write("INSERT INTO missing VALUES (1)", &[]).is_err());
        assert!(matches!(broken.write(INSERT, &["late".into()]), Err(StoreError::Unavailable(_))));
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
