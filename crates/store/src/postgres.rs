//! A transaction on PostgreSQL with few ways there and back: begun only when it must be, its writes sent together.

use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, PgConnection, PgPool, Postgres, Transaction};

use crate::db::{Argument, bound};
use crate::error::StoreError;
use crate::gather::Gathered;

pub(crate) struct PgTx {
    pool: PgPool,
    /// Behind a pooler nothing is kept prepared, and only a transaction stays on one server.
    pooler: bool,
    /// Begun with the first statement that needs it.
    begun: Option<Transaction<'static, Postgres>>,
    /// Writes that nobody has to see yet.
    waiting: Gathered,
}

impl PgTx {
    pub(crate) fn new(pool: PgPool, pooler: bool) -> Self {
        Self { pool, pooler, begun: None, waiting: Gathered::default() }
    }

    pub(crate) async fn rows(
        &mut self,
        text: &'static str,
        arguments: Vec<Argument>,
    ) -> Result<Vec<PgRow>, StoreError> {
        self.send_waiting().await?;
        let query = bound!(text, arguments).persistent(!self.pooler);
        Ok(query.fetch_all(self.connection().await?).await?)
    }

    pub(crate) async fn write(
        &mut self,
        text: &'static str,
        arguments: Vec<Argument>,
    ) -> Result<u64, StoreError> {
        self.send_waiting().await?;
        let query = bound!(text, arguments).persistent(!self.pooler);
        Ok(query.execute(self.connection().await?).await?.rows_affected())
    }

    pub(crate) async fn later(
        &mut self,
        text: &'static str,
        arguments: Vec<Argument>,
    ) -> Result<(), StoreError> {
        if self.waiting.is_full() {
            self.send_waiting().await?;
        }
        self.waiting.add(text, arguments);
        Ok(())
    }

    /// The first write's row, with the count of the second's rows as `touched`; what waits goes along.
    pub(crate) async fn row_and_touched(
        &mut self,
        first: (&'static str, Vec<Argument>),
        second: (&'static str, Vec<Argument>),
    ) -> Result<Option<PgRow>, StoreError> {
        let (text, arguments) = std::mem::take(&mut self.waiting).into_query(first, second);
        let query = bound!(AssertSqlSafe(text), arguments).persistent(!self.pooler);
        Ok(query.fetch_optional(self.connection().await?).await?)
    }

    pub(crate) async fn script(&mut self, text: &'static str) -> Result<(), StoreError> {
        self.send_waiting().await?;
        sqlx::raw_sql(text).execute(self.connection().await?).await?;
        Ok(())
    }

    /// One statement is a transaction by itself.
    pub(crate) async fn commit(mut self) -> Result<(), StoreError> {
        if self.begun.is_none() && !self.pooler {
            if let Some((text, arguments)) = std::mem::take(&mut self.waiting).into_write() {
                bound!(AssertSqlSafe(text), arguments).execute(&self.pool).await?;
            }
            return Ok(());
        }
        self.send_waiting().await?;
        match self.begun {
            Some(tx) => Ok(tx.commit().await?),
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
        let query = bound!(AssertSqlSafe(text), arguments).persistent(!self.pooler);
        query.execute(self.connection().await?).await?;
        Ok(())
    }

    async fn connection(&mut self) -> Result<&mut PgConnection, StoreError> {
        let begun = match self.begun.take() {
            Some(tx) => tx,
            None => self.pool.begin().await?,
        };
        Ok(self.begun.insert(begun))
    }
}
