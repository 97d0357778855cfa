//! A row that was copied out of SQLite, so that it can outlive its statement.

use std::ops::Range;
use std::sync::Arc;

use rusqlite::types::{Type, ValueRef};

/// The names of a query's columns, shared by its rows.
#[derive(Clone)]
pub(super) struct ColumnNames(Arc<[Box<str>]>);

/// All texts of the row are in one string, so that a row costs two allocations and not one for each column.
pub(crate) struct SqliteRow {
    names: ColumnNames,
    cells: Vec<Cell>,
    texts: String,
}

enum Cell {
    Null,
    Integer(i64),
    /// The place in `texts`.
    Text(Range<usize>),
}

/// The value of a column: the schema has only texts and integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CellValue<'a> {
    Null,
    Integer(i64),
    Text(&'a str),
}

impl ColumnNames {
    pub(super) fn of(statement: &rusqlite::Statement<'_>) -> Self {
        Self(statement.column_names().map(Box::from).collect())
    }
}

impl SqliteRow {
    pub(super) fn read(row: &rusqlite::Row<'_>, names: &ColumnNames) -> rusqlite::Result<Self> {
        let mut texts = String::new();
        let mut cells = Vec::with_capacity(names.0.len());
        for (index, name) in names.0.iter().enumerate() {
            cells.push(match row.get_ref(index)? {
                ValueRef::Null => Cell::Null,
                ValueRef::Integer(integer) => Cell::Integer(integer),
                ValueRef::Text(bytes) => {
                    let start = texts.len();
                    texts.push_str(
                        str::from_utf8(bytes).map_err(|error| rusqlite::Error::Utf8Error(index, error))?,
                    );
                    Cell::Text(start..texts.len())
                }
                ValueRef::Real(_) => return Err(invalid_type(index, name, Type::Real)),
                ValueRef::Blob(_) => return Err(invalid_type(index, name, Type::Blob)),
            });
        }
        Ok(Self { names: names.clone(), cells, texts })
    }

    pub(crate) fn text_bytes(&self) -> usize {
        self.texts.len()
    }

    /// The value of a column; `None` if the query has no such column.
    pub(crate) fn get(&self, column: &str) -> Option<CellValue<'_>> {
        let index = self.names.0.iter().position(|name| **name == *column)?;
        Some(self.value(&self.cells[index]))
    }

    /// Every column with its value.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, CellValue<'_>)> {
        self.names.0.iter().zip(&self.cells).map(|(name, cell)| (&**name, self.value(cell)))
    }

    fn value(&self, cell: &Cell) -> CellValue<'_> {
        match cell {
            Cell::Null => CellValue::Null,
            Cell::Integer(integer) => CellValue::Integer(*integer),
            Cell::Text(place) => CellValue::Text(&self.texts[place.clone()]),
        }
    }
}

fn invalid_type(index: usize, name: &str, kind: Type) -> rusqlite::Error {
    rusqlite::Error::InvalidColumnType(index, name.to_owned(), kind)
}
