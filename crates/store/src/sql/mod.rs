//! SQL on SQLite or PostgreSQL: one interface, statements written once in the subset that both understand.

pub(crate) mod arguments;
pub(crate) mod batch;
pub(crate) mod columns;
pub(crate) mod database;
pub(crate) mod lists;
pub(crate) mod migrations;
mod postgres;
mod query;
pub mod recording;
mod sqlite;
pub(crate) mod statement_lists;
pub(crate) mod statements;
mod transaction;
pub(crate) mod unread;

pub(crate) use self::arguments::{Argument, args};
pub(crate) use self::batch::WritePair;
pub(crate) use self::columns::{Row, optional_json, to_json, to_milliseconds, to_seconds, unreadable};
pub(crate) use self::database::Database;
pub use self::database::DatabaseSettings;
pub(crate) use self::lists::{listed_in_postgres, listed_in_sqlite, rows_argument};
pub(crate) use self::sqlite::{CellValue, Snapshot as SqliteSnapshot, SqliteRow};
pub use self::statement_lists::NamedStatement;
pub(crate) use self::statements::{ListedStatement, Statement, statements};
pub(crate) use self::transaction::Tx;
pub use self::unread::Unread;
