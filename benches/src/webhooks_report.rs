//! What the webhooks bench found, as a table or as JSON.

use std::io::Write;

use serde::Serialize;

use crate::database::DatabaseKind;
use crate::load::{at, median};
use crate::report::build;

const MEBIBYTE: f64 = 1_048_576.0;

/// Deliveries per second beside the bare loop of the client, and the memory of the process that delivers.
#[derive(Debug, Serialize)]
pub(crate) struct Measure {
    database: &'static str,
    waiting: u64,
    deliveries_per_second: f64,
    /// The slowest and the fastest round.
    rounds: (f64, f64),
    bare_per_second: f64,
    ratio: f64,
    idle_mib: f64,
    /// The most that the process took while it delivered, with all of them waiting.
    peak_mib: f64,
}

impl Measure {
    pub(crate) fn new(
        kind: DatabaseKind,
        waiting: u64,
        delivered: &[f64],
        bare: &[f64],
        memory: (f64, &[f64]),
    ) -> Self {
        let (idle, peaks) = memory;
        let (typical, bare) = (median(delivered), median(bare));
        Self {
            database: kind.name(),
            waiting,
            deliveries_per_second: typical,
            rounds: (at(delivered, 0.0), at(delivered, 1.0)),
            bare_per_second: bare,
            ratio: typical / bare,
            idle_mib: idle / MEBIBYTE,
            peak_mib: at(peaks, 1.0) / MEBIBYTE,
        }
    }
}

pub(crate) fn print(measures: &[Measure], json: bool) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    if json {
        let document = serde_json::json!({"bench": "webhooks", "build": build(), "measures": measures});
        return Ok(writeln!(out, "{document:#}")?);
    }
    writeln!(out, "build: {}; deliveries per second over TLS; the ratio is server / bare sender", build())?;
    writeln!(
        out,
        "{:<11} {:>8} {:>9} {:>13} {:>9} {:>6} {:>9} {:>9}",
        "database", "waiting", "server", "rounds", "bare", "ratio", "idle MiB", "peak MiB"
    )?;
    for one in measures {
        let (slowest, fastest) = one.rounds;
        writeln!(
            out,
            "{:<11} {:>8} {:>9.0} {:>13} {:>9.0} {:>6.2} {:>9.1} {:>9.1}",
            one.database,
            one.waiting,
            one.deliveries_per_second,
            format!("{slowest:.0}-{fastest:.0}"),
            one.bare_per_second,
            one.ratio,
            one.idle_mib,
            one.peak_mib,
        )?;
    }
    Ok(())
}
