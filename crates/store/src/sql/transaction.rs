//! A transaction on either database.
//!
//! Futures that reach a driver are boxed: otherwise they are compiled again in every crate that awaits them.

use futures::future::BoxFuture;
use sqlx::AssertSqlSafe;

use super::arguments::{Argument, refuse_nul};
use super::batch::WritePair;
use super::columns::Row;
use super::postgres::PgTx;
use super::sqlite::Turn;
use super::statements::{BatchedWrite, Statement};
use crate::error::StoreError;

pub(crate) enum Tx {
    Sqlite(Turn),
    Postgres(PgTx),
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
                    let rows = turn.rows(statement.sqlite, &arguments)?;
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

    /// Writes now and returns the number of affected rows.
    pub(crate) fn write<'a>(
        &'a mut self,
        statement: &'a Statement,
        arguments: Vec<Argument>,
    ) -> BoxFuture<'a, Result<u64, StoreError>> {
        Box::pin(async move {
            refuse_nul(&arguments)?;
            match self {
                Self::Sqlite(turn) => turn.write(statement.sqlite, &arguments),
                Self::Postgres(tx) => tx.write(statement.postgres, arguments).await,
            }
        })
    }

    /// Runs a write whose text was built at run time. The caller makes sure that no text from outside is part of it.
    pub(crate) fn write_text(
        &mut self,
        text: String,
        arguments: Vec<Argument>,
    ) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(async move {
            refuse_nul(&arguments)?;
            match self {
                Self::Sqlite(turn) => turn.write(&text, &arguments),
                Self::Postgres(tx) => tx.write(AssertSqlSafe(text), arguments).await,
            }
        })
    }

    /// Writes at the latest before the next statement of another kind or the commit. On PostgreSQL it is sent together
    /// with other such writes, to save round trips. None of them may depend on another.
    pub(crate) fn write_later<'a>(
        &'a mut self,
        write: &'a BatchedWrite,
        arguments: Vec<Argument>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            refuse_nul(&arguments)?;
            match self {
                Self::Sqlite(turn) => turn.write(write.statement().sqlite, &arguments).map(drop),
                Self::Postgres(tx) => tx.write_later(write, arguments).await,
            }
        })
    }

    /// Runs two writes in one round trip: returns the first one's row and the number of rows that the second affected.
    /// If the first matches no row, the second does not run. Neither may depend on what the other writes.
    pub(crate) fn write_pair<'a>(
        &'a mut self,
        pair: WritePair<'a>,
    ) -> BoxFuture<'a, Result<Option<(Row, u64)>, StoreError>> {
        Box::pin(async move {
            refuse_nul(&pair.first_arguments)?;
            refuse_nul(&pair.second_arguments)?;
            match self {
                Self::Sqlite(_) => {
                    let row = self.row(&pair.first.statement(), pair.first_arguments).await?;
                    let Some(row) = row else { return Ok(None) };
                    Ok(Some((row, self.write(&pair.second.statement(), pair.second_arguments).await?)))
                }
                Self::Postgres(tx) => {
                    let row = tx.write_pair(pair).await?;
                    let Some(row) = row.map(Row::Postgres) else { return Ok(None) };
                    let touched = row.count("touched")?;
                    Ok(Some((row, touched)))
                }
            }
        })
    }

    /// Runs a script of several statements, such as a migration.
    pub(crate) fn script(&mut self, text: &'static str) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            match self {
                Self::Sqlite(turn) => turn.script(text),
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
