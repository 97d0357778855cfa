//! The two databases behind one face: a pool each, statements with `$n`, rows read by column name.
//!
//! What reaches a driver is boxed: a future that is not is compiled once more in every crate that awaits it.

use std::str::FromStr;
use std::time::Duration;

use futures::future::BoxFuture;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions, PgRow};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteRow, SqliteSynchronous,
};
use sqlx::{Connection, PgPool, SqlitePool};

use crate::error::StoreError;
use crate::postgres::PgTx;
use crate::statements::Statement;
use crate::writer::{Turn, Writer};

/// How long a caller waits for a connection before it hears `Unavailable`.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(30);
/// How long SQLite waits for another process, such as a command beside a running server.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// A connection that lay idle this long is tried before it is used, so that a restarted database costs nobody an error.
const TRUSTED_IDLE: Duration = Duration::from_secs(2);
/// Room for every statement of this crate, and for those that are put together of them, prepared once a connection.
const PREPARED_STATEMENTS: usize = 512;

/// Which database, and how many connections to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseSettings {
    /// `sqlite:PATH` or `postgres://…`.
    pub url: String,
    pub max_connections: u32,
    /// Behind a pooler in transaction mode nothing may be kept on a connection between transactions.
    pub pooler: bool,
    /// A direct way to the same database for wake-ups, where `url` is a pooler's.
    pub listen_url: Option<String>,
}

impl DatabaseSettings {
    /// The usual ones: no pooler.
    pub fn new(url: impl Into<String>, max_connections: u32) -> Self {
        Self { url: url.into(), max_connections, pooler: false, listen_url: None }
    }
}

pub(crate) enum Database {
    /// One connection writes, so that nobody waits for a lock inside a transaction; the others read beside it.
    Sqlite {
        writer: Writer,
        readers: SqlitePool,
    },
    Postgres {
        pool: PgPool,
        pooler: bool,
    },
}

pub(crate) enum Tx {
    Sqlite(Turn),
    Postgres(PgTx),
}

pub(crate) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

/// What a `$n` stands for.
#[derive(Debug, Clone)]
pub(crate) enum Argument {
    Text(Option<String>),
    Integer(Option<i64>),
}

/// The arguments of a statement, each turned into an `Argument`.
macro_rules! args {
    ($($value:expr),* $(,)?) => { vec![$($crate::db::Argument::from($value)),*] };
}
pub(crate) use args;

/// A query with its arguments bound, for either driver.
macro_rules! bound {
    ($text:expr, $arguments:expr) => {{
        let mut query = sqlx::query($text);
        for argument in $arguments {
            query = match argument {
                $crate::db::Argument::Text(text) => query.bind(text),
                $crate::db::Argument::Integer(integer) => query.bind(integer),
            };
        }
        query
    }};
}
pub(crate) use bound;

impl Database {
    pub(crate) async fn open(settings: &DatabaseSettings) -> Result<Self, StoreError> {
        match settings.url.strip_prefix("sqlite:") {
            Some(path) => open_sqlite(path, settings.max_connections).await,
            None => open_postgres(settings).await,
        }
    }

    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite { writer, readers } => {
                readers.close().await;
                writer.close().await;
            }
            Self::Postgres { pool, .. } => pool.close().await,
        }
    }

    pub(crate) fn begin(&self) -> BoxFuture<'_, Result<Tx, StoreError>> {
        Box::pin(async move {
            match self {
                Self::Sqlite { writer, .. } => Ok(Tx::Sqlite(writer.begin().await?)),
                Self::Postgres { pool, pooler } => Ok(Tx::Postgres(PgTx::new(pool.clone(), *pooler))),
            }
        })
    }

    /// Reads outside a transaction: where a write depends on it, the write looks again (at a version, at the balance).
    pub(crate) fn rows<'a>(
        &'a self,
        statement: &'a Statement,
        arguments: Vec<Argument>,
    ) -> BoxFuture<'a, Result<Vec<Row>, StoreError>> {
        Box::pin(async move {
            refuse_nul(&arguments)?;
            match self {
                Self::Sqlite { readers, .. } => {
                    let rows = bound!(statement.sqlite, arguments).fetch_all(readers).await?;
                    Ok(rows.into_iter().map(Row::Sqlite).collect())
                }
                Self::Postgres { pool, pooler: false } => {
                    let rows = bound!(statement.postgres, arguments).fetch_all(pool).await?;
                    Ok(rows.into_iter().map(Row::Postgres).collect())
                }
                // A statement is prepared and then run; only inside a transaction do both reach the same server.
                Self::Postgres { pooler: true, .. } => {
                    let mut tx = self.begin().await?;
                    let rows = tx.rows(statement, arguments).await?;
                    tx.commit().await?;
                    Ok(rows)
                }
            }
        })
    }

    pub(crate) fn row<'a>(
        &'a self,
        statement: &'a Statement,
        arguments: Vec<Argument>,
    ) -> BoxFuture<'a, Result<Option<Row>, StoreError>> {
        Box::pin(async move {
            refuse_nul(&arguments)?;
            match self {
                Self::Sqlite { readers, .. } => {
                    let row = bound!(statement.sqlite, arguments).fetch_optional(readers).await?;
                    Ok(row.map(Row::Sqlite))
                }
                Self::Postgres { pool, pooler: false } => {
                    let row = bound!(statement.postgres, arguments).fetch_optional(pool).await?;
                    Ok(row.map(Row::Postgres))
                }
                Self::Postgres { pooler: true, .. } => {
                    Ok(self.rows(statement, arguments).await?.into_iter().next())
                }
            }
        })
    }

    /// Writes with one statement that is a transaction by itself; returns how many rows it touched.
    pub(crate) fn write<'a>(
        &'a self,
        statement: &'a Statement,
        arguments: Vec<Argument>,
    ) -> BoxFuture<'a, Result<u64, StoreError>> {
        Box::pin(async move {
            refuse_nul(&arguments)?;
            match self {
                Self::Sqlite { writer, .. } => {
                    let mut turn = writer.begin().await?;
                    let done = turn.write(statement.sqlite, arguments).await?;
                    turn.commit().await?;
                    Ok(done)
                }
                Self::Postgres { pool, pooler: false } => {
                    let done = bound!(statement.postgres, arguments).execute(pool).await?;
                    Ok(done.rows_affected())
                }
                Self::Postgres { pooler: true, .. } => {
                    let mut tx = self.begin().await?;
                    let done = tx.write(statement, arguments).await?;
                    tx.commit().await?;
                    Ok(done)
                }
            }
        })
    }
}

impl Tx {
    pub(crate) fn rows<'a>(
        &'a mut self,
        statement: &'a Statement,
        arguments: Vec<Argument>,
    ) -> BoxFuture<'a, Result<Vec<Row>, StoreError>> {
        Box::pin(async move {
            refuse_nul(&arguments)?;
            match self {
                Self::Sqlite(turn) => {
                    let rows = turn.rows(statement.sqlite, arguments).await?;
                    Ok(rows.into_iter().map(Row::Sqlite).collect())
                }
                Self::Postgres(tx) => {
                    let rows = tx.rows(statement.postgres, arguments).await?;
                    Ok(rows.into_iter().map(Row::Postgres).collect())
                }
            }
        })
    }

    pub(crate) fn row<'a>(
        &'a mut self,
        statement: &'a Statement,
        arguments: Vec<Argument>,
    ) -> BoxFuture<'a, Result<Option<Row>, StoreError>> {
        Box::pin(async move { Ok(self.rows(statement, arguments).await?.into_iter().next()) })
    }

    pub(crate) fn write<'a>(
        &'a mut self,
        statement: &'a Statement,
        arguments: Vec<Argument>,
    ) -> BoxFuture<'a, Result<u64, StoreError>> {
        Box::pin(async move {
            refuse_nul(&arguments)?;
            match self {
                Self::Sqlite(turn) => turn.write(statement.sqlite, arguments).await,
                Self::Postgres(tx) => tx.write(statement.postgres, arguments).await,
            }
        })
    }

    /// Writes before the next statement of another kind or the commit, together with others that were so written: the
    /// fewer ways to the database, the better. None of them may depend on another.
    pub(crate) fn later<'a>(
        &'a mut self,
        statement: &'a Statement,
        arguments: Vec<Argument>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            refuse_nul(&arguments)?;
            match self {
                Self::Sqlite(turn) => turn.write(statement.sqlite, arguments).await.map(drop),
                Self::Postgres(tx) => tx.later(statement.postgres, arguments).await,
            }
        })
    }

    /// The row that the first write returns, and how many rows the second touched; the second, which must end in a
    /// condition, is not made where the first finds no row. Neither may depend on what the other writes.
    pub(crate) fn row_and_touched<'a>(
        &'a mut self,
        first: (&'a Statement, Vec<Argument>),
        second: (&'a Statement, Vec<Argument>),
    ) -> BoxFuture<'a, Result<Option<(Row, u64)>, StoreError>> {
        Box::pin(async move {
            match self {
                Self::Sqlite(_) => {
                    let Some(row) = self.row(first.0, first.1).await? else { return Ok(None) };
                    Ok(Some((row, self.write(second.0, second.1).await?)))
                }
                Self::Postgres(tx) => {
                    refuse_nul(&first.1)?;
                    refuse_nul(&second.1)?;
                    let first = (first.0.postgres, first.1);
                    let row = tx.row_and_touched(first, (second.0.postgres, second.1)).await?;
                    let Some(row) = row.map(Row::Postgres) else { return Ok(None) };
                    let touched = row.count("touched")?;
                    Ok(Some((row, touched)))
                }
            }
        })
    }

    /// Runs a whole script, as migrations are.
    pub(crate) fn script(&mut self, text: &'static str) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            match self {
                Self::Sqlite(turn) => turn.script(text).await,
                Self::Postgres(tx) => tx.script(text).await,
            }
        })
    }

    pub(crate) fn commit(self) -> BoxFuture<'static, Result<(), StoreError>> {
        Box::pin(async move {
            match self {
                Self::Sqlite(turn) => turn.commit().await,
                Self::Postgres(tx) => tx.commit().await,
            }
        })
    }

    pub(crate) fn rollback(self) -> BoxFuture<'static, Result<(), StoreError>> {
        Box::pin(async move {
            match self {
                Self::Sqlite(turn) => {
                    drop(turn);
                    Ok(())
                }
                Self::Postgres(tx) => tx.rollback().await,
            }
        })
    }
}

/// PostgreSQL cannot hold NUL in text and SQLite can, so neither does.
fn refuse_nul(arguments: &[Argument]) -> Result<(), StoreError> {
    let has_nul = |argument: &Argument| match argument {
        Argument::Text(Some(text)) => text.as_bytes().contains(&0),
        Argument::Text(None) | Argument::Integer(_) => false,
    };
    if arguments.iter().any(has_nul) {
        return Err(StoreError::internal("a text with a NUL character cannot be stored"));
    }
    Ok(())
}

async fn open_sqlite(path: &str, max_connections: u32) -> Result<Database, StoreError> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .foreign_keys(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY_TIMEOUT)
        // Deleted content must not be left to read in the file's free pages.
        .pragma("secure_delete", "ON")
        .statement_cache_capacity(PREPARED_STATEMENTS);
    let options = sqlx::ConnectOptions::disable_statement_logging(options);
    let writer = Writer::open(options.clone()).await?;
    let readers = SqlitePoolOptions::new()
        .max_connections(max_connections.max(1))
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .connect_lazy_with(options.pragma("query_only", "ON"));
    Ok(Database::Sqlite { writer, readers })
}

async fn open_postgres(settings: &DatabaseSettings) -> Result<Database, StoreError> {
    let kept = if settings.pooler { 0 } else { PREPARED_STATEMENTS };
    let options = PgConnectOptions::from_str(&settings.url)?.statement_cache_capacity(kept);
    let options = sqlx::ConnectOptions::disable_statement_logging(options);
    let pool = PgPoolOptions::new()
        .max_connections(settings.max_connections.max(2))
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .test_before_acquire(false)
        .before_acquire(|connection, meta| {
            Box::pin(async move {
                if meta.idle_for > TRUSTED_IDLE {
                    connection.ping().await?;
                }
                Ok(true)
            })
        })
        .connect_with(options)
        .await?;
    Ok(Database::Postgres { pool, pooler: settings.pooler })
}
