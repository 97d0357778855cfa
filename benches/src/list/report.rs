//! The table of the list bench.

use std::fmt::Write;

use serde::Serialize;

use crate::measure::{median, quantile};
use crate::report::build_profile;
use crate::sql::database::DatabaseKind;

/// The same operation in a small and in a large database, in milliseconds.
#[derive(Debug, Serialize)]
pub(super) struct LatencyComparison {
    database: &'static str,
    measure: &'static str,
    small_median_ms: f64,
    small_p95_ms: f64,
    large_median_ms: f64,
    large_p95_ms: f64,
    /// Of the medians; the goal is at most 2.
    ratio: f64,
}

impl LatencyComparison {
    pub(super) fn new(kind: DatabaseKind, measure: &'static str, small: &[f64], large: &[f64]) -> Self {
        Self {
            database: kind.name(),
            measure,
            small_median_ms: median(small),
            small_p95_ms: quantile(small, 0.95),
            large_median_ms: median(large),
            large_p95_ms: quantile(large, 0.95),
            ratio: median(large) / median(small),
        }
    }
}

pub(super) fn table(comparisons: &[LatencyComparison], small: u64, large: u64) -> anyhow::Result<String> {
    let build = build_profile();
    let mut table = format!("build: {build}; milliseconds at {small} and at {large} jobs; median (p95)\n");
    writeln!(table, "{:<11} {:<34} {:>16} {:>16} {:>6}", "database", "measure", "small", "large", "ratio")?;
    for one in comparisons {
        writeln!(
            table,
            "{:<11} {:<34} {:>16} {:>16} {:>6.2}",
            one.database,
            one.measure,
            format!("{:.2} ({:.2})", one.small_median_ms, one.small_p95_ms),
            format!("{:.2} ({:.2})", one.large_median_ms, one.large_p95_ms),
            one.ratio,
        )?;
    }
    Ok(table)
}
