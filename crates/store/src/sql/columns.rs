//! Reading columns of a row as Rust values. A value that cannot be read is `StoreError::Corrupt`, never a panic.

use std::str::FromStr;

use auris_domain::time::Timestamp;
use auris_domain::wire::JsonText;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::Row as _;
use sqlx::postgres::PgRow;

use super::sqlite::{CellValue, SqliteRow};
use crate::error::StoreError;

pub(crate) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

impl Row {
    /// The bytes of all columns; on SQLite only of those with text.
    pub(crate) fn text_bytes(&self) -> usize {
        match self {
            Self::Sqlite(row) => row.text_bytes(),
            Self::Postgres(row) => {
                let bytes = |index| row.try_get_raw(index).ok()?.as_bytes().ok().map(<[u8]>::len);
                (0..row.len()).filter_map(bytes).sum()
            }
        }
    }

    pub(crate) fn optional_str(&self, column: &str) -> Result<Option<&str>, StoreError> {
        match self {
            Self::Sqlite(row) => match row.get(column).ok_or_else(|| unknown(column))? {
                CellValue::Null => Ok(None),
                CellValue::Text(text) => Ok(Some(text)),
                CellValue::Integer(_) => Err(unreadable(column)),
            },
            Self::Postgres(row) => Ok(row.try_get(column)?),
        }
    }

    pub(crate) fn optional_integer(&self, column: &str) -> Result<Option<i64>, StoreError> {
        match self {
            Self::Sqlite(row) => match row.get(column).ok_or_else(|| unknown(column))? {
                CellValue::Null => Ok(None),
                CellValue::Integer(integer) => Ok(Some(integer)),
                CellValue::Text(_) => Err(unreadable(column)),
            },
            Self::Postgres(row) => Ok(row.try_get(column)?),
        }
    }

    pub(crate) fn str(&self, column: &str) -> Result<&str, StoreError> {
        self.optional_str(column)?.ok_or_else(|| missing(column))
    }

    pub(crate) fn text(&self, column: &str) -> Result<String, StoreError> {
        self.str(column).map(str::to_owned)
    }

    pub(crate) fn optional_text(&self, column: &str) -> Result<Option<String>, StoreError> {
        Ok(self.optional_str(column)?.map(str::to_owned))
    }

    pub(crate) fn integer(&self, column: &str) -> Result<i64, StoreError> {
        self.optional_integer(column)?.ok_or_else(|| missing(column))
    }

    /// A number that is never negative.
    pub(crate) fn count(&self, column: &str) -> Result<u64, StoreError> {
        u64::try_from(self.integer(column)?).map_err(|_| unreadable(column))
    }

    pub(crate) fn moment(&self, column: &str) -> Result<Timestamp, StoreError> {
        self.integer(column).map(Timestamp)
    }

    pub(crate) fn optional_moment(&self, column: &str) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.optional_integer(column)?.map(Timestamp))
    }

    /// An identifier, an amount or an enum's word, parsed from text.
    pub(crate) fn parsed<T: FromStr>(&self, column: &str) -> Result<T, StoreError> {
        self.str(column)?.parse().map_err(|_| unreadable(column))
    }

    pub(crate) fn optional_parsed<T: FromStr>(&self, column: &str) -> Result<Option<T>, StoreError> {
        let text = self.optional_str(column)?;
        text.map(|text| text.parse().map_err(|_| unreadable(column))).transpose()
    }

    pub(crate) fn json<T: DeserializeOwned>(&self, column: &str) -> Result<T, StoreError> {
        serde_json::from_str(self.str(column)?).map_err(|_| unreadable(column))
    }

    /// JSON that is passed on without being read.
    pub(crate) fn optional_json_text(&self, column: &str) -> Result<Option<JsonText>, StoreError> {
        let text = self.optional_text(column)?;
        text.map(|text| JsonText::from_stored(text).map_err(|_| unreadable(column))).transpose()
    }

    pub(crate) fn json_text(&self, column: &str) -> Result<JsonText, StoreError> {
        self.optional_json_text(column)?.ok_or_else(|| missing(column))
    }

    pub(crate) fn optional_json<T: DeserializeOwned>(&self, column: &str) -> Result<Option<T>, StoreError> {
        let text = self.optional_str(column)?;
        text.map(|text| serde_json::from_str(text).map_err(|_| unreadable(column))).transpose()
    }
}

/// Serializes a value that consists of strings, numbers and maps with string keys; an error is a fault in this program.
pub(crate) fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Internal(error.into()))
}

pub(crate) fn optional_json<T: Serialize>(value: Option<&T>) -> Result<Option<String>, StoreError> {
    value.map(to_json).transpose()
}

/// Seconds of audio are stored as whole milliseconds, because floating-point columns differ between the databases.
pub(crate) fn to_milliseconds(seconds: f64) -> i64 {
    (seconds * 1000.0).round() as i64
}

pub(crate) fn to_seconds(milliseconds: i64) -> f64 {
    milliseconds as f64 / 1000.0
}

// The message leaves out the value: it may be a caller's content, and errors are logged.
pub(crate) fn unreadable(column: &str) -> StoreError {
    StoreError::Corrupt(format!("unexpected value in the column `{column}`"))
}

/// A fault in this program: the statement does not select the column.
fn unknown(column: &str) -> StoreError {
    StoreError::internal(format!("the statement returns no column `{column}`"))
}

fn missing(column: &str) -> StoreError {
    StoreError::Corrupt(format!("the column `{column}` is NULL"))
}
