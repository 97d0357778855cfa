//! The layout of an export file: a tar archive with a manifest first, then the blobs, then the rows of each table.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub(super) const FORMAT: u32 = 1;
pub(super) const MANIFEST: &str = "manifest.json";
pub(super) const BLOBS: &str = "blobs/";
pub(super) const ROWS: &str = "rows/";

/// What the file contains and what an import of it needs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    /// The version of the program that wrote the file.
    pub program: String,
    pub schema: u32,
    /// The fingerprint of the master key that encrypts the secrets in the file.
    pub master_key: String,
    pub created_at: String,
    /// The number of rows of each table.
    pub tables: BTreeMap<String, u64>,
    pub blobs: u64,
    pub blob_bytes: u64,
}

impl Manifest {
    /// How many jobs the file contains.
    pub fn jobs(&self) -> u64 {
        self.tables.get("jobs").copied().unwrap_or(0)
    }
}

/// The name of a table's rows in the archive. The number keeps tables in the order in which they are imported.
pub(super) fn rows_name(number: usize, table: &str) -> String {
    format!("{ROWS}{number:02}-{table}.jsonl")
}

/// `rows/07-jobs.jsonl` contains the rows of `jobs`.
pub(super) fn table_of(name: &str) -> Option<&str> {
    name.strip_prefix(ROWS)?.strip_suffix(".jsonl")?.split_once('-').map(|(_, table)| table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_found_by_the_name_of_its_rows() {
        assert_eq!(table_of(&rows_name(7, "api_keys")), Some("api_keys"));
        assert_eq!(table_of("manifest.json"), None);
    }
}
