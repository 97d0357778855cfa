//! From Rust to arguments and from columns back to Rust; what cannot be read back is `Corrupt`, never a panic.

use std::str::FromStr;

use auris_domain::id::{
    ArtifactId, DeliveryId, EndpointId, EntryId, EventId, JobId, KeyId, ProjectId, RequestId, StepId,
};
use auris_domain::money::Usd;
use auris_domain::time::{Millis, Timestamp};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::Row as _;

use crate::db::{Argument, Row};
use crate::error::StoreError;

impl Row {
    pub(crate) fn optional_text(&self, column: &str) -> Result<Option<String>, StoreError> {
        match self {
            Self::Sqlite(row) => Ok(row.try_get(column)?),
            Self::Postgres(row) => Ok(row.try_get(column)?),
        }
    }

    pub(crate) fn optional_integer(&self, column: &str) -> Result<Option<i64>, StoreError> {
        match self {
            Self::Sqlite(row) => Ok(row.try_get(column)?),
            Self::Postgres(row) => Ok(row.try_get(column)?),
        }
    }

    pub(crate) fn text(&self, column: &str) -> Result<String, StoreError> {
        self.optional_text(column)?.ok_or_else(|| missing(column))
    }

    pub(crate) fn integer(&self, column: &str) -> Result<i64, StoreError> {
        self.optional_integer(column)?.ok_or_else(|| missing(column))
    }

    /// A number that can only be counted up from zero.
    pub(crate) fn count(&self, column: &str) -> Result<u64, StoreError> {
        u64::try_from(self.integer(column)?).map_err(|_| unreadable(column))
    }

    pub(crate) fn moment(&self, column: &str) -> Result<Timestamp, StoreError> {
        self.integer(column).map(Timestamp)
    }

    pub(crate) fn optional_moment(&self, column: &str) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.optional_integer(column)?.map(Timestamp))
    }

    /// An identifier or an amount, which know how to read themselves.
    pub(crate) fn parsed<T: FromStr>(&self, column: &str) -> Result<T, StoreError> {
        self.text(column)?.parse().map_err(|_| unreadable(column))
    }

    pub(crate) fn optional_parsed<T: FromStr>(&self, column: &str) -> Result<Option<T>, StoreError> {
        let text = self.optional_text(column)?;
        text.map(|text| text.parse().map_err(|_| unreadable(column))).transpose()
    }

    /// One of our own closed sets of words.
    pub(crate) fn word<T>(&self, column: &str, read: fn(&str) -> Option<T>) -> Result<T, StoreError> {
        read(&self.text(column)?).ok_or_else(|| unreadable(column))
    }

    pub(crate) fn json<T: DeserializeOwned>(&self, column: &str) -> Result<T, StoreError> {
        serde_json::from_str(&self.text(column)?).map_err(|_| unreadable(column))
    }

    pub(crate) fn optional_json<T: DeserializeOwned>(&self, column: &str) -> Result<Option<T>, StoreError> {
        let text = self.optional_text(column)?;
        text.map(|text| serde_json::from_str(&text).map_err(|_| unreadable(column))).transpose()
    }
}

/// Strings, numbers and maps with string keys always serialise; a fault here is ours.
pub(crate) fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Internal(error.into()))
}

pub(crate) fn optional_json<T: Serialize>(value: Option<&T>) -> Result<Option<String>, StoreError> {
    value.map(to_json).transpose()
}

/// Seconds of audio are kept in whole milliseconds, because SQL's floats differ between databases.
pub(crate) fn to_milliseconds(seconds: f64) -> i64 {
    (seconds * 1000.0).round() as i64
}

pub(crate) fn to_seconds(milliseconds: i64) -> f64 {
    milliseconds as f64 / 1000.0
}

// The value is not told: it may be a caller's content, and errors are logged.
fn unreadable(column: &str) -> StoreError {
    StoreError::Corrupt(format!("the column `{column}` holds what is never written there"))
}

fn missing(column: &str) -> StoreError {
    StoreError::Corrupt(format!("the column `{column}` is empty"))
}

macro_rules! text_arguments {
    ($($kind:ty),* $(,)?) => {$(
        impl From<&$kind> for Argument {
            fn from(value: &$kind) -> Self {
                Self::Text(Some(value.to_string()))
            }
        }

        impl From<Option<&$kind>> for Argument {
            fn from(value: Option<&$kind>) -> Self {
                Self::Text(value.map(ToString::to_string))
            }
        }
    )*};
}

text_arguments!(
    str, ArtifactId, DeliveryId, EndpointId, EntryId, EventId, JobId, KeyId, ProjectId, RequestId, StepId,
    Usd,
);

impl From<&String> for Argument {
    fn from(value: &String) -> Self {
        Self::Text(Some(value.clone()))
    }
}

impl From<String> for Argument {
    fn from(value: String) -> Self {
        Self::Text(Some(value))
    }
}

impl From<Option<String>> for Argument {
    fn from(value: Option<String>) -> Self {
        Self::Text(value)
    }
}

impl From<i64> for Argument {
    fn from(value: i64) -> Self {
        Self::Integer(Some(value))
    }
}

impl From<Option<i64>> for Argument {
    fn from(value: Option<i64>) -> Self {
        Self::Integer(value)
    }
}

impl From<u32> for Argument {
    fn from(value: u32) -> Self {
        Self::Integer(Some(value.into()))
    }
}

impl From<u64> for Argument {
    /// Counts of what was measured stay far below the bound; past it they saturate.
    fn from(value: u64) -> Self {
        Self::Integer(Some(i64::try_from(value).unwrap_or(i64::MAX)))
    }
}

impl From<Timestamp> for Argument {
    fn from(value: Timestamp) -> Self {
        Self::Integer(Some(value.0))
    }
}

impl From<Option<Timestamp>> for Argument {
    fn from(value: Option<Timestamp>) -> Self {
        Self::Integer(value.map(|moment| moment.0))
    }
}

impl From<Millis> for Argument {
    fn from(value: Millis) -> Self {
        Self::Integer(Some(value.0))
    }
}
