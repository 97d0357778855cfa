//! The table of the webhooks bench.

use std::fmt::Write;

use serde::Serialize;

use crate::measure::{median, quantile};
use crate::report::build_profile;
use crate::sql::database::DatabaseKind;

const MEBIBYTE: f64 = 1_048_576.0;

/// Deliveries per second, next to the bare client, and the memory of the server.
#[derive(Debug, Serialize)]
pub(super) struct DeliveryRates {
    database: &'static str,
    waiting: u64,
    deliveries_per_second: f64,
    slowest_round: f64,
    fastest_round: f64,
    bare_client_per_second: f64,
    ratio: f64,
    idle_mib: f64,
    /// The highest memory use while the server delivered and all deliveries were waiting.
    peak_mib: f64,
}

/// What the rounds measured.
#[derive(Default)]
pub(super) struct Rounds {
    pub(super) bare_client: Vec<f64>,
    pub(super) delivered: Vec<f64>,
    pub(super) peak_bytes: Vec<f64>,
}

impl DeliveryRates {
    pub(super) fn new(kind: DatabaseKind, waiting: u64, idle_bytes: u64, rounds: &Rounds) -> Self {
        let typical = median(&rounds.delivered);
        let bare = median(&rounds.bare_client);
        Self {
            database: kind.name(),
            waiting,
            deliveries_per_second: typical,
            slowest_round: quantile(&rounds.delivered, 0.0),
            fastest_round: quantile(&rounds.delivered, 1.0),
            bare_client_per_second: bare,
            ratio: typical / bare,
            idle_mib: idle_bytes as f64 / MEBIBYTE,
            peak_mib: quantile(&rounds.peak_bytes, 1.0) / MEBIBYTE,
        }
    }
}

pub(super) fn table(measures: &[DeliveryRates]) -> anyhow::Result<String> {
    let build = build_profile();
    let mut table = format!("build: {build}; deliveries per second over TLS; ratio = server / bare client\n");
    writeln!(
        table,
        "{:<11} {:>8} {:>9} {:>13} {:>11} {:>6} {:>9} {:>9}",
        "database", "waiting", "server", "rounds", "bare client", "ratio", "idle MiB", "peak MiB"
    )?;
    for one in measures {
        writeln!(
            table,
            "{:<11} {:>8} {:>9.0} {:>13} {:>11.0} {:>6.2} {:>9.1} {:>9.1}",
            one.database,
            one.waiting,
            one.deliveries_per_second,
            format!("{:.0}-{:.0}", one.slowest_round, one.fastest_round),
            one.bare_client_per_second,
            one.ratio,
            one.idle_mib,
            one.peak_mib,
        )?;
    }
    Ok(table)
}
