//! One connection to the file, with the settings that every connection needs.

use rusqlite::config::DbConfig;
use rusqlite::{CachedStatement, OpenFlags};

use super::BUSY_TIMEOUT;
use super::row::{ColumnNames, SqliteRow};
use crate::error::StoreError;
use crate::sql::arguments::Argument;

/// Maximum number of prepared statements: enough for every statement of this crate.
const PREPARED_STATEMENTS: usize = 512;
/// `secure_delete`: deleted content must not remain readable in the file's free pages.
///
/// `wal_autocheckpoint`: the log is copied into the file once it has 4,000 pages (16 MB), because a page that changed many
/// times since then is copied once.
const SETTINGS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
    PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 4000;";

pub(crate) struct Connection {
    inner: rusqlite::Connection,
}

impl Connection {
    /// Opens the file, which is created if it does not exist.
    pub(super) fn open(path: &str) -> Result<Self, StoreError> {
        // A connection is used by one thread at a time, so it needs no internal locks.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let inner = rusqlite::Connection::open_with_flags(path, flags)?;
        inner.busy_timeout(BUSY_TIMEOUT)?;
        inner.set_prepared_statement_cache_capacity(PREPARED_STATEMENTS);
        // Otherwise SQLite plans a statement again whenever the value of an argument could change the plan.
        inner.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        inner.execute_batch(SETTINGS)?;
        Ok(Self { inner })
    }

    pub(super) fn open_for_reading(path: &str) -> Result<Self, StoreError> {
        let connection = Self::open(path)?;
        connection.inner.execute_batch("PRAGMA query_only = ON")?;
        Ok(connection)
    }

    /// Runs the statement to its end and returns all rows.
    pub(crate) fn rows(&self, text: &str, arguments: &[Argument]) -> rusqlite::Result<Vec<SqliteRow>> {
        let mut rows = Vec::new();
        self.each_row(text, arguments, |row| {
            rows.push(row);
            true
        })?;
        Ok(rows)
    }

    /// Passes on one row after the other, until there is none left or `take` returns false.
    pub(crate) fn each_row(
        &self,
        text: &str,
        arguments: &[Argument],
        mut take: impl FnMut(SqliteRow) -> bool,
    ) -> rusqlite::Result<()> {
        let mut statement = self.prepared(text, arguments)?;
        let names = ColumnNames::of(&statement);
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next()? {
            if !take(SqliteRow::read(row, &names)?) {
                break;
            }
        }
        Ok(())
    }

    /// Runs a statement that returns no rows; returns the number of affected rows.
    pub(crate) fn write(&self, text: &str, arguments: &[Argument]) -> rusqlite::Result<u64> {
        Ok(self.prepared(text, arguments)?.raw_execute()? as u64)
    }

    /// Runs several statements without arguments.
    pub(crate) fn script(&self, text: &str) -> rusqlite::Result<()> {
        self.inner.execute_batch(text)
    }

    pub(super) fn wait_for_others(&self, wait: bool) -> rusqlite::Result<()> {
        self.inner.busy_timeout(if wait { BUSY_TIMEOUT } else { std::time::Duration::ZERO })
    }

    pub(super) fn is_in_transaction(&self) -> bool {
        !self.inner.is_autocommit()
    }

    fn prepared(&self, text: &str, arguments: &[Argument]) -> rusqlite::Result<CachedStatement<'_>> {
        let mut statement = self.inner.prepare_cached(text)?;
        for index in 1..=statement.parameter_count() {
            // To SQLite, `$2` is a name and not a number.
            let number =
                statement.parameter_name(index).and_then(|name| name.get(1..)?.parse::<usize>().ok());
            let argument = number.and_then(|number| arguments.get(number.checked_sub(1)?));
            match argument {
                Some(Argument::Text(text)) => statement.raw_bind_parameter(index, text)?,
                Some(Argument::Integer(integer)) => statement.raw_bind_parameter(index, integer)?,
                None => return Err(rusqlite::Error::InvalidParameterCount(arguments.len(), index)),
            }
        }
        Ok(statement)
    }
}
