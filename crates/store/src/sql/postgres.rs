//! PostgreSQL: the pool, and a transaction that needs few round trips. It begins with the first statement that needs
//! it, and sends writes together.

use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions, PgRow};
use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, PgConnection, PgPool, Postgres, SqlSafeStr, Transaction,
};

use super::arguments::Argument;
use super::batch::{Batch, WritePair};
use super::query::bound;
use super::recording::{self, Recorded};
use super::statements::BatchedWrite;
use crate::error::StoreError;

/// Maximum time that a caller waits for a connection before it gets `Unavailable`.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(30);
/// A connection that was idle for longer is tested before it is used, so that no caller gets an error because the
/// database was restarted.
const TRUSTED_IDLE: Duration = Duration::from_secs(2);

pub(crate) async fn open(
    url: &str,
    max_connections: u32,
    prepared_statements: usize,
) -> Result<PgPool, StoreError> {
    let options = PgConnectOptions::from_str(url)?
        .statement_cache_capacity(prepared_statements)
        .disable_statement_logging();
    let pool = PgPoolOptions::new()
        .max_connections(max_connections.max(2))
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .test_before_acquire(false)
        .before_acquire(|connection, meta| {
            Box::pin(async move {
                if meta.idle_for > TRUSTED_IDLE {
                    connection.ping().await?;
                }
                Ok(true)
            })
        });
    Ok(pool.connect_with(options).await?)
}

pub(crate) struct PgTx {
    pool: PgPool,
    /// Behind a pooler, statements are not kept prepared, and only a transaction stays on one server connection.
    pooler: bool,
    /// Begun by the first statement that needs a transaction.
    begun: Option<Transaction<'static, Postgres>>,
    /// Writes that are not sent yet.
    waiting: Batch,
}

impl PgTx {
    pub(crate) fn new(pool: PgPool, pooler: bool) -> Self {
        Self { pool, pooler, begun: None, waiting: Batch::default() }
    }

    pub(crate) async fn rows(
        &mut self,
        text: &'static str,
        arguments: Vec<Argument>,
    ) -> Result<Vec<PgRow>, StoreError> {
        self.send_waiting().await?;
        let persistent = !self.pooler;
        let connection = self.connection().await?;
        Ok(bound!(text, arguments).persistent(persistent).fetch_all(connection).await?)
    }

    pub(crate) async fn write(
        &mut self,
        text: impl SqlSafeStr,
        arguments: Vec<Argument>,
    ) -> Result<u64, StoreError> {
        self.send_waiting().await?;
        let persistent = !self.pooler;
        let connection = self.connection().await?;
        Ok(bound!(text, arguments).persistent(persistent).execute(connection).await?.rows_affected())
    }

    pub(crate) async fn write_later(
        &mut self,
        write: &BatchedWrite,
        arguments: Vec<Argument>,
    ) -> Result<(), StoreError> {
        if self.waiting.is_full() {
            self.send_waiting().await?;
        }
        self.waiting.add(write, arguments);
        Ok(())
    }

    /// The first write's row, with the second write's row count as `touched`. Waiting writes are sent with them.
    pub(crate) async fn write_pair(&mut self, pair: WritePair<'_>) -> Result<Option<PgRow>, StoreError> {
        let (text, arguments) = std::mem::take(&mut self.waiting).into_query(pair);
        let persistent = !self.pooler;
        let connection = self.connection().await?;
        Ok(bound!(AssertSqlSafe(text), arguments).persistent(persistent).fetch_optional(connection).await?)
    }

    pub(crate) async fn script(&mut self, text: &'static str) -> Result<(), StoreError> {
        self.send_waiting().await?;
        sqlx::raw_sql(text).execute(self.connection().await?).await?;
        Ok(())
    }

    /// If everything fits into one statement, that statement is its own transaction.
    pub(crate) async fn commit(mut self) -> Result<(), StoreError> {
        if self.begun.is_none() && !self.pooler {
            if let Some((text, arguments)) = std::mem::take(&mut self.waiting).into_write() {
                bound!(AssertSqlSafe(text), arguments).execute(&self.pool).await?;
            }
            return Ok(());
        }
        self.send_waiting().await?;
        match self.begun {
            Some(tx) => {
                recording::note(|| Recorded::Commit);
                Ok(tx.commit().await?)
            }
            None => Ok(()),
        }
    }

    pub(crate) async fn rollback(self) -> Result<(), StoreError> {
        match self.begun {
            Some(tx) => Ok(tx.rollback().await?),
            None => Ok(()),
        }
    }

    async fn send_waiting(&mut self) -> Result<(), StoreError> {
        let Some((text, arguments)) = std::mem::take(&mut self.waiting).into_write() else {
            return Ok(());
        };
        let persistent = !self.pooler;
        let connection = self.connection().await?;
        bound!(AssertSqlSafe(text), arguments).persistent(persistent).execute(connection).await?;
        Ok(())
    }

    async fn connection(&mut self) -> Result<&mut PgConnection, StoreError> {
        let begun = match self.begun.take() {
            Some(tx) => tx,
            None => {
                recording::note(|| Recorded::Begin);
                self.pool.begin().await?
            }
        };
        Ok(self.begun.insert(begun))
    }
}
