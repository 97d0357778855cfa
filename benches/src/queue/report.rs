//! What the queue bench found, as a table or as JSON.

use std::io::Write;

use serde::Serialize;

use crate::report::build;

/// Jobs per second at one number of workers.
#[derive(Debug, Serialize)]
pub(super) struct Measure {
    pub(super) database: &'static str,
    pub(super) workers: usize,
    /// The store, with few and with many finished jobs in its tables.
    pub(super) few: f64,
    pub(super) many: f64,
    /// The same statements in a loop.
    pub(super) bare: f64,
    pub(super) pgbench: Option<f64>,
    /// The store while as many others create as there are workers, and graphile_worker in the same way.
    pub(super) beside_creators: Option<f64>,
    pub(super) peer: Option<f64>,
}

pub(super) fn print(measures: &[Measure], sizes: (u64, u64), json: bool) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let (few, many) = sizes;
    if json {
        let document = serde_json::json!({"bench": "queue", "build": build(), "few_jobs": few, "many_jobs": many,
            "measures": measures});
        return Ok(writeln!(out, "{document:#}")?);
    }
    writeln!(
        out,
        "build: {}; jobs per second from creation over claim to end, medians of three rounds",
        build()
    )?;
    writeln!(
        out,
        "{:<11} {:>7} {:>10} {:>10} {:>6} {:>10} {:>6} {:>9} {:>6} {:>9} {:>9} {:>6}",
        "database",
        "workers",
        few,
        many,
        "ratio",
        "bare loop",
        "ratio",
        "pgbench",
        "ratio",
        "creating",
        "graphile",
        "ratio"
    )?;
    for one in measures {
        let told = |rate: Option<f64>| rate.map_or("-".to_owned(), |rate| format!("{rate:.0}"));
        let ratio = |ours: Option<f64>, theirs: Option<f64>| {
            ours.zip(theirs).map_or("-".to_owned(), |(ours, theirs)| format!("{:.2}", ours / theirs))
        };
        writeln!(
            out,
            "{:<11} {:>7} {:>10.0} {:>10.0} {:>6.2} {:>10.0} {:>6} {:>9} {:>6} {:>9} {:>9} {:>6}",
            one.database,
            one.workers,
            one.few,
            one.many,
            one.many / one.few,
            one.bare,
            ratio(Some(one.few), Some(one.bare)),
            told(one.pgbench),
            ratio(Some(one.few), one.pgbench),
            told(one.beside_creators),
            told(one.peer),
            ratio(one.beside_creators, one.peer),
        )?;
    }
    writeln!(
        out,
        "goals: many/few about 1; at least 0.5 of the bare statements; above 1 of graphile_worker"
    )?;
    Ok(())
}
