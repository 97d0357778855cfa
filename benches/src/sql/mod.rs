//! One connection to either database, with the settings that the server uses, and no layer in between.

pub(crate) mod copies;
pub(crate) mod database;
pub(crate) mod job_rows;
pub(crate) mod recording;
pub(crate) mod replay;

use std::str::FromStr;
use std::sync::Arc;

use sqlx::postgres::{PgConnectOptions, PgConnection, PgRow};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteRow, SqliteSynchronous};
use sqlx::{AssertSqlSafe, Column, ConnectOptions, Row as _, TypeInfo};

pub(crate) enum Connection {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Text(Option<String>),
    Integer(Option<i64>),
}

pub(crate) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

/// The text of a statement. Shared, so that a loop does not copy it.
pub(crate) type Statement = Arc<str>;

macro_rules! bound {
    ($statement:expr, $values:expr) => {{
        let mut query = sqlx::query(AssertSqlSafe(Arc::clone($statement)));
        for value in $values {
            query = match value {
                Value::Text(text) => query.bind(text.as_deref()),
                Value::Integer(integer) => query.bind(integer),
            };
        }
        query
    }};
}

macro_rules! named_values {
    ($row:expr) => {
        $row.columns()
            .iter()
            .map(|column| {
                let place = column.ordinal();
                let value = match column.type_info().name() {
                    "TEXT" => Value::Text($row.try_get(place)?),
                    _ => Value::Integer($row.try_get(place)?),
                };
                Ok((column.name().to_owned(), value))
            })
            .collect()
    };
}

impl Connection {
    pub(crate) async fn open(url: &str) -> anyhow::Result<Self> {
        match url.strip_prefix("sqlite:") {
            Some(path) => {
                let options = SqliteConnectOptions::new()
                    .filename(path)
                    .create_if_missing(true)
                    .foreign_keys(true)
                    .journal_mode(SqliteJournalMode::Wal)
                    .synchronous(SqliteSynchronous::Full)
                    .pragma("secure_delete", "ON")
                    .disable_statement_logging();
                Ok(Self::Sqlite(options.connect().await?))
            }
            None => {
                let options = PgConnectOptions::from_str(url)?.disable_statement_logging();
                Ok(Self::Postgres(options.connect().await?))
            }
        }
    }

    pub(crate) async fn begin(&mut self) -> anyhow::Result<()> {
        match self {
            Self::Sqlite(_) => self.script("BEGIN IMMEDIATE").await,
            Self::Postgres(_) => self.script("BEGIN").await,
        }
    }

    pub(crate) async fn commit(&mut self) -> anyhow::Result<()> {
        self.script("COMMIT").await
    }

    pub(crate) async fn rollback(&mut self) -> anyhow::Result<()> {
        self.script("ROLLBACK").await
    }

    pub(crate) async fn script(&mut self, text: &str) -> anyhow::Result<()> {
        let script = sqlx::raw_sql(AssertSqlSafe(text));
        match self {
            Self::Sqlite(connection) => script.execute(connection).await.map(drop)?,
            Self::Postgres(connection) => script.execute(connection).await.map(drop)?,
        }
        Ok(())
    }

    pub(crate) async fn write(&mut self, statement: &Statement, values: &[Value]) -> anyhow::Result<u64> {
        match self {
            Self::Sqlite(connection) => {
                Ok(bound!(statement, values).execute(connection).await?.rows_affected())
            }
            Self::Postgres(connection) => {
                Ok(bound!(statement, values).execute(connection).await?.rows_affected())
            }
        }
    }

    pub(crate) async fn rows(&mut self, statement: &Statement, values: &[Value]) -> anyhow::Result<Vec<Row>> {
        match self {
            Self::Sqlite(connection) => {
                let rows = bound!(statement, values).fetch_all(connection).await?;
                Ok(rows.into_iter().map(Row::Sqlite).collect())
            }
            Self::Postgres(connection) => {
                let rows = bound!(statement, values).fetch_all(connection).await?;
                Ok(rows.into_iter().map(Row::Postgres).collect())
            }
        }
    }

    /// The first column of the first row as a number; zero if there is no row.
    pub(crate) async fn number(&mut self, text: &str) -> anyhow::Result<i64> {
        let rows = self.rows(&text.into(), &[]).await?;
        match rows.first().and_then(|row| row.named_values().ok()?.into_iter().next()) {
            Some((_, Value::Integer(Some(number)))) => Ok(number),
            Some(_) | None => Ok(0),
        }
    }

    /// The first column of every row, as texts.
    pub(crate) async fn texts(&mut self, text: &str) -> anyhow::Result<Vec<String>> {
        let mut texts = Vec::new();
        for row in self.rows(&text.into(), &[]).await? {
            if let Some((_, Value::Text(Some(text)))) = row.named_values()?.into_iter().next() {
                texts.push(text);
            }
        }
        Ok(texts)
    }
}

impl Row {
    /// Every column by name. The schema has only texts and integers.
    pub(crate) fn named_values(&self) -> anyhow::Result<Vec<(String, Value)>> {
        match self {
            Self::Sqlite(row) => named_values!(row),
            Self::Postgres(row) => named_values!(row),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(Some(text.to_owned()))
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(Some(number))
    }
}
