//! What the api bench found, as a table or as JSON.

use std::io::Write;

use serde::Serialize;

use crate::database::DatabaseKind;
use crate::load::{at, median};

/// One measure: units per second of the server, and of the bare parts in the same run.
#[derive(Debug, Serialize)]
pub(crate) struct Measure {
    pub(crate) database: &'static str,
    pub(crate) measure: &'static str,
    pub(crate) server_per_second: f64,
    /// The slowest and the fastest round.
    pub(crate) server_rounds: (f64, f64),
    pub(crate) axum_per_second: Option<f64>,
    pub(crate) sql_per_second: Option<f64>,
    pub(crate) ratio_to_axum: Option<f64>,
    pub(crate) ratio_to_sql: Option<f64>,
}

impl Measure {
    pub(crate) fn new(
        kind: DatabaseKind,
        measure: &'static str,
        server: &[f64],
        axum: Option<f64>,
        sql: Option<f64>,
    ) -> Self {
        let typical = median(server);
        Self {
            database: kind.name(),
            measure,
            server_per_second: typical,
            server_rounds: (at(server, 0.0), at(server, 1.0)),
            axum_per_second: axum,
            sql_per_second: sql,
            ratio_to_axum: axum.map(|axum| typical / axum),
            ratio_to_sql: sql.map(|sql| typical / sql),
        }
    }
}

/// The kind of build that was measured: server and bench are of the same one.
pub(crate) fn build() -> &'static str {
    if cfg!(debug_assertions) { "dev" } else { "release" }
}

pub(crate) fn print(measures: &[Measure], json: bool) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    if json {
        let document = serde_json::json!({"bench": "api", "build": build(), "measures": measures});
        return Ok(writeln!(out, "{document:#}")?);
    }
    writeln!(out, "build: {}; per second; the ratios are server / bare part", build())?;
    writeln!(
        out,
        "{:<11} {:<17} {:>9} {:>17} {:>10} {:>7} {:>10} {:>7}",
        "database", "measure", "server", "rounds", "bare axum", "ratio", "bare SQL", "ratio"
    )?;
    for one in measures {
        let (slowest, fastest) = one.server_rounds;
        writeln!(
            out,
            "{:<11} {:<17} {:>9.0} {:>17} {:>10} {:>7} {:>10} {:>7}",
            one.database,
            one.measure,
            one.server_per_second,
            format!("{slowest:.0}-{fastest:.0}"),
            number(one.axum_per_second, 0),
            number(one.ratio_to_axum, 3),
            number(one.sql_per_second, 0),
            number(one.ratio_to_sql, 2),
        )?;
    }
    Ok(())
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
}
