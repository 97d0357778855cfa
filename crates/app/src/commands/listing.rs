//! Prints lists: a table for people, JSON or CSV for programs.

use std::fmt::Display;

use anyhow::Context;
use serde::Serialize;
use serde_json::Value;

use super::{print, print_json, table};
use crate::cli::Shape;

/// Rows under their headings, each with its JSON record.
pub(super) struct Listing {
    headings: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
    records: Vec<Value>,
    /// The last line of the table. JSON and CSV have none: programs add up by themselves.
    total: Option<Vec<Cell>>,
}

/// One cell of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cell {
    Text(String),
    /// No value: the table shows this word, CSV shows nothing.
    Empty(&'static str),
}

impl Cell {
    pub(super) fn text(value: impl Display) -> Self {
        Self::Text(value.to_string())
    }

    pub(super) fn or(value: Option<impl Display>, word: &'static str) -> Self {
        value.map_or(Self::Empty(word), Self::text)
    }

    fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Empty(word) => (*word).to_owned(),
        }
    }

    fn value(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Empty(_) => "",
        }
    }
}

impl Listing {
    pub(super) fn new(headings: &[&'static str]) -> Self {
        Self { headings: headings.to_vec(), rows: Vec::new(), records: Vec::new(), total: None }
    }

    pub(super) fn add(&mut self, row: Vec<Cell>, record: &impl Serialize) -> anyhow::Result<()> {
        self.rows.push(row);
        self.records.push(serde_json::to_value(record)?);
        Ok(())
    }

    pub(super) fn set_total(&mut self, row: Vec<Cell>) {
        self.total = Some(row);
    }

    pub(super) fn print(self, shape: Shape) -> anyhow::Result<()> {
        if shape.json {
            return print_json(&Value::Array(self.records));
        }
        if shape.csv {
            return print(self.csv()?.trim_end());
        }
        let headings: Vec<String> = self.headings.iter().map(|heading| heading.replace('_', " ")).collect();
        let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
        let rows = self.rows.iter().chain(&self.total);
        let rows: Vec<Vec<String>> = rows.map(|row| row.iter().map(Cell::shown).collect()).collect();
        print(&table::render(&headings, &rows))
    }

    fn csv(&self) -> anyhow::Result<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(self.headings.iter().map(|heading| heading.to_lowercase()))?;
        for row in &self.rows {
            writer.write_record(row.iter().map(Cell::value))?;
        }
        let bytes = writer.into_inner().context("cannot write CSV")?;
        Ok(String::from_utf8(bytes)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_quotes_commas_and_leaves_missing_values_empty() {
        let mut listing = Listing::new(&["NAME", "LAST_USED"]);
        listing.add(vec![Cell::text("a, \"b\""), Cell::Empty("never")], &Value::Null).unwrap();
        listing.set_total(vec![Cell::text("total")]);
        assert_eq!(listing.csv().unwrap(), "name,last_used\n\"a, \"\"b\"\"\",\n");
    }
}
