//! The table of the queue bench.

use std::fmt::Write;

use serde::Serialize;

use crate::report::build_profile;

/// Jobs per second at one number of workers.
#[derive(Debug, Serialize)]
pub(super) struct Measure {
    pub(super) database: &'static str,
    pub(super) workers: usize,
    /// The store, in a database with few finished jobs.
    pub(super) few: f64,
    /// The store, in a database with many finished jobs.
    pub(super) many: f64,
    /// The store's statements in a loop.
    pub(super) bare_statements: f64,
    /// The store while as many callers create jobs as there are workers.
    pub(super) with_creators: Option<f64>,
    /// graphile_worker in the same situation.
    pub(super) graphile: Option<f64>,
}

pub(super) fn table(measures: &[Measure], few: u64, many: u64) -> anyhow::Result<String> {
    let mut table = format!(
        "build: {}; jobs per second from creation to completion, medians of three rounds, with {few} and with {many} \
         finished jobs\n",
        build_profile()
    );
    writeln!(
        table,
        "{:<11} {:>7} {:>10} {:>10} {:>9} {:>10} {:>9} {:>13} {:>9} {:>13}",
        "database",
        "workers",
        "few",
        "many",
        "many/few",
        "bare SQL",
        "few/bare",
        "with creators",
        "graphile",
        "auris/graphile"
    )?;
    for one in measures {
        let rate = |rate: Option<f64>| rate.map_or("-".to_owned(), |rate| format!("{rate:.0}"));
        let to_graphile = one.with_creators.zip(one.graphile).map(|(ours, theirs)| ours / theirs);
        writeln!(
            table,
            "{:<11} {:>7} {:>10.0} {:>10.0} {:>9.2} {:>10.0} {:>9.2} {:>13} {:>9} {:>13}",
            one.database,
            one.workers,
            one.few,
            one.many,
            one.many / one.few,
            one.bare_statements,
            one.few / one.bare_statements,
            rate(one.with_creators),
            rate(one.graphile),
            to_graphile.map_or("-".to_owned(), |ratio| format!("{ratio:.2}")),
        )?;
    }
    writeln!(
        table,
        "goals: many/few about 1; at least 0.5 of the bare statements; faster than graphile_worker"
    )?;
    Ok(table)
}
