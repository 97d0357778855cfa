//! Rows that were fetched and not parsed yet: content can be large, and is then parsed on another thread.

use super::columns::Row;
use crate::error::StoreError;

/// A stored value that was fetched and not parsed yet.
pub struct Unread<T> {
    bytes: usize,
    parse: Box<dyn FnOnce() -> Result<T, StoreError> + Send>,
}

impl<T: 'static> Unread<T> {
    pub(crate) fn of_rows(
        rows: Vec<Row>,
        parse: impl FnOnce(Vec<Row>) -> Result<T, StoreError> + Send + 'static,
    ) -> Self {
        Self { bytes: rows.iter().map(Row::text_bytes).sum(), parse: Box::new(move || parse(rows)) }
    }

    pub(crate) fn of_row(
        row: Row,
        parse: impl FnOnce(Row) -> Result<T, StoreError> + Send + 'static,
    ) -> Self {
        Self { bytes: row.text_bytes(), parse: Box::new(move || parse(row)) }
    }

    /// The bytes of all columns, which decide on which thread the value is parsed.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Parses the value. Fails if it cannot be read.
    pub fn parse(self) -> Result<T, StoreError> {
        (self.parse)()
    }
}
