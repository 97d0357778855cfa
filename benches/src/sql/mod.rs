//! One connection to either database, with the settings that the server uses, and no layer in between.

pub(crate) mod copies;
pub(crate) mod database;
pub(crate) mod job_rows;
pub(crate) mod recording;
pub(crate) mod replay;

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::types::ValueRef;
use sqlx::postgres::{PgColumn, PgConnectOptions, PgConnection, PgRow};
use sqlx::{AssertSqlSafe, Column, ConnectOptions, Row as _, TypeInfo};

/// The settings of the server's own connections.
const SQLITE_SETTINGS: &str =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
    PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 4000;";

pub(crate) enum Connection {
    Sqlite(rusqlite::Connection),
    Postgres(PgConnection),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Text(Option<String>),
    Integer(Option<i64>),
}

pub(crate) enum Row {
    Sqlite(Vec<(String, Value)>),
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

impl Connection {
    pub(crate) async fn open(url: &str) -> anyhow::Result<Self> {
        match url.strip_prefix("sqlite:") {
            Some(path) => {
                let connection = rusqlite::Connection::open(path)?;
                connection.set_prepared_statement_cache_capacity(64);
                connection.busy_timeout(Duration::from_secs(10))?;
                connection.execute_batch(SQLITE_SETTINGS)?;
                Ok(Self::Sqlite(connection))
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
        match self {
            Self::Sqlite(connection) => Ok(connection.execute_batch(text)?),
            Self::Postgres(connection) => {
                sqlx::raw_sql(AssertSqlSafe(text)).execute(connection).await?;
                Ok(())
            }
        }
    }

    pub(crate) async fn write(&mut self, statement: &Statement, values: &[Value]) -> anyhow::Result<u64> {
        match self {
            Self::Sqlite(connection) => Ok(prepared(connection, statement, values)?.raw_execute()? as u64),
            Self::Postgres(connection) => {
                Ok(bound!(statement, values).execute(connection).await?.rows_affected())
            }
        }
    }

    pub(crate) async fn rows(&mut self, statement: &Statement, values: &[Value]) -> anyhow::Result<Vec<Row>> {
        match self {
            Self::Sqlite(connection) => sqlite_rows(connection, statement, values),
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
            Self::Sqlite(values) => Ok(values.clone()),
            Self::Postgres(row) => row.columns().iter().map(|column| named_value(row, column)).collect(),
        }
    }
}

fn named_value(row: &PgRow, column: &PgColumn) -> anyhow::Result<(String, Value)> {
    let value = match column.type_info().name() {
        "TEXT" => Value::Text(row.try_get(column.ordinal())?),
        _ => Value::Integer(row.try_get(column.ordinal())?),
    };
    Ok((column.name().to_owned(), value))
}

fn sqlite_rows(
    connection: &rusqlite::Connection,
    statement: &Statement,
    values: &[Value],
) -> anyhow::Result<Vec<Row>> {
    let mut prepared = prepared(connection, statement, values)?;
    let names: Vec<String> = prepared.column_names().map(str::to_owned).collect();
    let mut found = prepared.raw_query();
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        let mut values = Vec::with_capacity(names.len());
        for (index, name) in names.iter().enumerate() {
            let value = match row.get_ref(index)? {
                ValueRef::Null => Value::Text(None),
                ValueRef::Integer(integer) => Value::Integer(Some(integer)),
                ValueRef::Text(_) | ValueRef::Real(_) | ValueRef::Blob(_) => Value::Text(row.get(index)?),
            };
            values.push((name.clone(), value));
        }
        rows.push(Row::Sqlite(values));
    }
    Ok(rows)
}

/// To SQLite, `$2` is a name and not a number.
fn prepared<'a>(
    connection: &'a rusqlite::Connection,
    statement: &Statement,
    values: &[Value],
) -> anyhow::Result<rusqlite::CachedStatement<'a>> {
    let mut prepared = connection.prepare_cached(statement)?;
    for (index, value) in values.iter().enumerate() {
        let Some(place) = prepared.parameter_index(&format!("${}", index + 1))? else { continue };
        match value {
            Value::Text(text) => prepared.raw_bind_parameter(place, text)?,
            Value::Integer(integer) => prepared.raw_bind_parameter(place, integer)?,
        }
    }
    Ok(prepared)
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
