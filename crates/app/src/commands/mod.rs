//! One module per command: each parses its arguments, calls a use case and prints the result.

pub(crate) mod analyze;
pub(crate) mod console;
pub(crate) mod doctor;
pub(crate) mod evaluate;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod keys;
mod listing;
pub(crate) mod migrate;
pub(crate) mod models;
pub(crate) mod operator;
pub(crate) mod projects;
mod table;
pub(crate) mod transcribe;
mod usage;
pub(crate) mod webhooks;

use std::io::Write;

use serde::Serialize;

/// Writes a result to standard output.
fn print(text: &str) -> anyhow::Result<()> {
    Ok(writeln!(std::io::stdout().lock(), "{text}")?)
}

fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    print(&serde_json::to_string_pretty(value)?)
}
