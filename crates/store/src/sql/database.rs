//! The database, SQLite or PostgreSQL, behind one interface: statements with `$n`, rows read by column name.
//!
//! Futures that reach a driver are boxed: otherwise they are compiled again in every crate that awaits them.

use std::time::Duration;

use futures::future::BoxFuture;
use sqlx::PgPool;

use super::arguments::{Argument, refuse_nul};
use super::columns::Row;
use super::query::bound;
use super::recording::note_statement;
use super::statements::Statement;
use super::transaction::Tx;
use super::{postgres, sqlite};
use crate::error::StoreError;

/// Maximum number of prepared statements per connection to PostgreSQL: enough for every statement of this crate and for
/// the batches that are made of them.
const PREPARED_STATEMENTS: usize = 512;
/// The default of `poll_interval`. It limits how late a change is noticed if its wake-up was missed.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Which database, and how it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseSettings {
    /// `sqlite:PATH` or `postgres://…`.
    pub url: String,
    pub max_connections: u32,
    /// Whether `url` points to a pooler in transaction mode, where a connection keeps no state between transactions.
    pub pooler: bool,
    /// A direct address of the same database for wake-ups, if `url` points to a pooler.
    pub listen_url: Option<String>,
    /// The time between two queries for changes of jobs that have waiters, because wake-ups can be missed.
    pub poll_interval: Duration,
}

impl DatabaseSettings {
    /// Settings for a database without a pooler, with the default interval of polling.
    pub fn new(url: impl Into<String>, max_connections: u32) -> Self {
        let poll_interval = POLL_INTERVAL;
        Self { url: url.into(), max_connections, pooler: false, listen_url: None, poll_interval }
    }
}

pub(crate) enum Database {
    /// One connection writes, so that no caller waits for a lock inside a transaction; the others read beside it.
    Sqlite {
        writer: sqlite::Writer,
        readers: sqlite::Readers,
    },
    Postgres {
        pool: PgPool,
        pooler: bool,
    },
}

impl Database {
    pub(crate) async fn open(settings: &DatabaseSettings) -> Result<Self, StoreError> {
        if let Some(path) = settings.url.strip_prefix("sqlite:") {
            let (writer, readers) = sqlite::open(path, settings.max_connections).await?;
            return Ok(Self::Sqlite { writer, readers });
        }
        let prepared = if settings.pooler { 0 } else { PREPARED_STATEMENTS };
        let pool = postgres::open(&settings.url, settings.max_connections, prepared).await?;
        Ok(Self::Postgres { pool, pooler: settings.pooler })
    }

    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite { writer, readers } => {
                readers.close();
                writer.close().await;
            }
            Self::Postgres { pool, .. } => pool.close().await,
        }
    }

    pub(crate) fn begin(&self) -> BoxFuture<'_, Result<Tx, StoreError>> {
        Box::pin(async move {
            match self {
                Self::Sqlite { writer, .. } => Ok(Tx::Sqlite(writer.begin().await?)),
                Self::Postgres { pool, pooler } => {
                    Ok(Tx::Postgres(postgres::PgTx::new(pool.clone(), *pooler)))
                }
            }
        })
    }

    /// Reads a few rows outside of a transaction. On SQLite it runs on the calling thread, so it must be quick: by an
    /// index, and without content. A write that depends on what was read checks it again (a version, a balance).
    pub(crate) fn rows<'a>(
        &'a self,
        statement: &'a Statement,
        arguments: Vec<Argument>,
    ) -> BoxFuture<'a, Result<Vec<Row>, StoreError>> {
        Box::pin(async move {
            refuse_nul(&arguments)?;
            match self {
                Self::Sqlite { readers, .. } => {
                    note_statement(statement.sqlite, &arguments);
                    let reader = readers.take().await?;
                    let rows = reader.connection()?.rows(statement.sqlite, &arguments)?;
                    Ok(rows.into_iter().map(Row::Sqlite).collect())
                }
                Self::Postgres { pool, pooler: false } => {
                    let rows = bound!(statement.postgres, arguments).fetch_all(pool).await?;
                    Ok(rows.into_iter().map(Row::Postgres).collect())
                }
                // A statement is prepared and then run; only in a transaction do both reach the same server connection.
                Self::Postgres { pooler: true, .. } => {
                    let mut tx = self.begin().await?;
                    let rows = tx.rows(statement, arguments).await?;
                    tx.commit().await?;
                    Ok(rows)
                }
            }
        })
    }

    /// The same for many rows, or large ones, or a search without an index. On SQLite it runs on another thread.
    pub(crate) fn many_rows<'a>(
        &'a self,
        statement: &'a Statement,
        arguments: Vec<Argument>,
    ) -> BoxFuture<'a, Result<Vec<Row>, StoreError>> {
        Box::pin(async move {
            match self {
                Self::Sqlite { readers, .. } => {
                    refuse_nul(&arguments)?;
                    note_statement(statement.sqlite, &arguments);
                    let text = statement.sqlite;
                    let reader = readers.take().await?;
                    let rows = reader.run(move |connection| connection.rows(text, &arguments)).await?;
                    Ok(rows.into_iter().map(Row::Sqlite).collect())
                }
                Self::Postgres { .. } => self.rows(statement, arguments).await,
            }
        })
    }

    /// Reads one row by its key.
    pub(crate) fn row<'a>(
        &'a self,
        statement: &'a Statement,
        arguments: Vec<Argument>,
    ) -> BoxFuture<'a, Result<Option<Row>, StoreError>> {
        Box::pin(async move { Ok(self.rows(statement, arguments).await?.into_iter().next()) })
    }

    /// Writes with one statement, which is its own transaction; returns the number of affected rows.
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
                    let done = turn.write(statement.sqlite, &arguments)?;
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
