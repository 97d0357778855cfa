//! What the list bench found, as a table or as JSON.

use std::io::Write;

use serde::Serialize;

use crate::database::DatabaseKind;
use crate::load::{at, median};
use crate::report::build;

/// The same thing in a small and in a large database, in milliseconds.
#[derive(Debug, Serialize)]
pub(crate) struct Comparison {
    database: &'static str,
    measure: &'static str,
    small_median_ms: f64,
    small_p95_ms: f64,
    large_median_ms: f64,
    large_p95_ms: f64,
    /// Of the medians; the goal is at most 2.
    ratio: f64,
}

impl Comparison {
    pub(crate) fn new(kind: DatabaseKind, measure: &'static str, small: &[f64], large: &[f64]) -> Self {
        Self {
            database: kind.name(),
            measure,
            small_median_ms: median(small),
            small_p95_ms: at(small, 0.95),
            large_median_ms: median(large),
            large_p95_ms: at(large, 0.95),
            ratio: median(large) / median(small),
        }
    }
}

pub(crate) fn print(comparisons: &[Comparison], sizes: (u64, u64), json: bool) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let (small, large) = sizes;
    if json {
        let document = serde_json::json!({"bench": "list", "build": build(), "small_jobs": small,
            "large_jobs": large, "comparisons": comparisons});
        return Ok(writeln!(out, "{document:#}")?);
    }
    writeln!(out, "build: {}; milliseconds at {small} and at {large} jobs; median (95 %)", build())?;
    writeln!(out, "{:<11} {:<34} {:>16} {:>16} {:>6}", "database", "measure", "small", "large", "ratio")?;
    for one in comparisons {
        writeln!(
            out,
            "{:<11} {:<34} {:>16} {:>16} {:>6.2}",
            one.database,
            one.measure,
            format!("{:.2} ({:.2})", one.small_median_ms, one.small_p95_ms),
            format!("{:.2} ({:.2})", one.large_median_ms, one.large_p95_ms),
            one.ratio,
        )?;
    }
    Ok(())
}
