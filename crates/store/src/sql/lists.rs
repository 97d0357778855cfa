//! The one way to pass a list to SQL: a JSON array in one text parameter, which both databases can read as rows.
//!
//! A list of ids is read with the macros below. A list of objects is read with `json_each($n)` on SQLite and with
//! `jsonb_to_recordset(CAST($n AS JSONB))` on PostgreSQL, which also gives every field its type.

use serde::Serialize;

use super::arguments::Argument;
use super::columns::to_json;
use crate::error::StoreError;

/// The argument for a list parameter.
pub(crate) fn rows_argument<T: Serialize>(items: &[T]) -> Result<Argument, StoreError> {
    Ok(Argument::Text(Some(to_json(items)?)))
}

/// The condition that a column's value is in a list of texts, on SQLite.
macro_rules! listed_in_sqlite {
    ($column:literal, $parameter:literal) => {
        concat!($column, " IN (SELECT value FROM json_each(", $parameter, "))")
    };
}

/// The condition that a column's value is in a list of texts, on PostgreSQL. `ANY` on an array, because the planner
/// then always looks up each value in the column's index.
macro_rules! listed_in_postgres {
    ($column:literal, $parameter:literal) => {
        concat!($column, " = ANY(ARRAY(SELECT jsonb_array_elements_text(CAST(", $parameter, " AS JSONB))))")
    };
}

pub(crate) use {listed_in_postgres, listed_in_sqlite};
