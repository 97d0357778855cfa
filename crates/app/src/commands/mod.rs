//! Commands that administer: they work on the database itself, with the server running or not.

pub(crate) mod analyze;
pub(crate) mod doctor;
pub(crate) mod keys;
mod listing;
pub(crate) mod migrate;
pub(crate) mod models;
pub(crate) mod projects;
mod table;
pub(crate) mod transcribe;
pub(crate) mod transfer;
pub(crate) mod webhooks;

use std::io::Write;

/// Writes a result to standard output.
fn print(text: &str) -> anyhow::Result<()> {
    Ok(writeln!(std::io::stdout().lock(), "{text}")?)
}

fn print_json(value: &serde_json::Value) -> anyhow::Result<()> {
    print(&serde_json::to_string_pretty(value)?)
}
