//! `auris export` and `auris import`: a whole installation in one file, from any database and blob store to any other.

mod export;
mod import;

pub(crate) use export::run as export;
pub(crate) use import::run as import;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

const FORMAT: u32 = 1;
const MANIFEST: &str = "manifest.json";
const BLOBS: &str = "blobs/";
const ROWS: &str = "rows/";

/// The first thing in the file: what is in it, and what it needs.
#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    /// The version of the program that wrote it.
    program: String,
    schema: u32,
    /// The fingerprint of the key that its secrets are sealed with.
    master_key: String,
    created_at: String,
    tables: BTreeMap<String, u64>,
    blobs: u64,
    blob_bytes: u64,
}
