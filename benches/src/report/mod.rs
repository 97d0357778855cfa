//! How every bench reports: a table on standard output and, on request, a JSON file that names machine and build.

mod environment;

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use serde::Serialize;

use environment::Environment;

pub(crate) use environment::build_profile;

/// Options that every bench has.
#[derive(Args)]
pub(crate) struct Output {
    /// Write the figures as JSON to this file, with the machine, the build and the command
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// The figures of one bench.
#[derive(Serialize)]
pub(crate) struct Report<M> {
    pub(crate) bench: &'static str,
    #[serde(skip)]
    pub(crate) table: String,
    pub(crate) measures: M,
}

#[derive(Serialize)]
struct Document<'a, M> {
    environment: Environment,
    #[serde(flatten)]
    report: &'a Report<M>,
}

impl<M: Serialize> Report<M> {
    /// Prints the table, and writes the JSON file if one was asked for.
    pub(crate) fn publish(&self, output: &Output) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}", self.table.trim_end())?;
        let Some(path) = &output.json else { return Ok(()) };
        let document = Document { environment: Environment::read()?, report: self };
        let text = serde_json::to_string_pretty(&document)? + "\n";
        fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))
    }
}
