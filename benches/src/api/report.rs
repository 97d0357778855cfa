//! The table of the api bench.

use std::fmt::Write;

use serde::Serialize;

use crate::measure::{median, quantile};
use crate::report::build_profile;
use crate::sql::database::DatabaseKind;

/// Units per second of the server, and of its baselines in the same run.
#[derive(Debug, Serialize)]
pub(super) struct RequestRates {
    database: &'static str,
    measure: &'static str,
    server_per_second: f64,
    slowest_round: f64,
    fastest_round: f64,
    axum_per_second: Option<f64>,
    sql_per_second: Option<f64>,
    ratio_to_axum: Option<f64>,
    ratio_to_sql: Option<f64>,
}

/// What the same work takes without our code, per second.
#[derive(Clone, Copy, Default)]
pub(super) struct Baselines {
    pub(super) axum: Option<f64>,
    pub(super) sql: Option<f64>,
}

impl RequestRates {
    pub(super) fn new(
        kind: DatabaseKind,
        measure: &'static str,
        server: &[f64],
        baselines: Baselines,
    ) -> Self {
        let Baselines { axum, sql } = baselines;
        let typical = median(server);
        Self {
            database: kind.name(),
            measure,
            server_per_second: typical,
            slowest_round: quantile(server, 0.0),
            fastest_round: quantile(server, 1.0),
            axum_per_second: axum,
            sql_per_second: sql,
            ratio_to_axum: axum.map(|axum| typical / axum),
            ratio_to_sql: sql.map(|sql| typical / sql),
        }
    }
}

pub(super) fn table(measures: &[RequestRates]) -> anyhow::Result<String> {
    let mut table = format!("build: {}; per second; the ratios are server / baseline\n", build_profile());
    writeln!(
        table,
        "{:<11} {:<17} {:>9} {:>17} {:>10} {:>7} {:>10} {:>7}",
        "database", "measure", "server", "rounds", "bare axum", "ratio", "bare SQL", "ratio"
    )?;
    for one in measures {
        writeln!(
            table,
            "{:<11} {:<17} {:>9.0} {:>17} {:>10} {:>7} {:>10} {:>7}",
            one.database,
            one.measure,
            one.server_per_second,
            format!("{:.0}-{:.0}", one.slowest_round, one.fastest_round),
            number(one.axum_per_second, 0),
            number(one.ratio_to_axum, 3),
            number(one.sql_per_second, 0),
            number(one.ratio_to_sql, 2),
        )?;
    }
    Ok(table)
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
}
