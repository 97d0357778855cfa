//! The table of the queue bench.

use std::fmt::Write;

use serde::Serialize;

use crate::report::build_profile;

const HEADINGS: [&str; 10] = [
    "database",
    "workers",
    "few",
    "many",
    "many/few",
    "bare SQL",
    "few/bare",
    "with creators",
    "graphile",
    "auris/graphile",
];

/// Jobs per second at one number of workers.
#[derive(Debug, Serialize)]
pub(super) struct JobRates {
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

pub(super) fn table(measures: &[JobRates], few: u64, many: u64) -> anyhow::Result<String> {
    let mut table = format!(
        "build: {}; jobs per second from creation to completion, medians of three rounds, with {few} and with {many} \
         finished jobs\n{}\n",
        build_profile(),
        line(HEADINGS.map(str::to_owned))
    );
    for one in measures {
        writeln!(table, "{}", line(cells(one)))?;
    }
    writeln!(
        table,
        "goals: many/few about 1; at least 0.5 of the bare statements; faster than graphile_worker"
    )?;
    Ok(table)
}

fn line(cells: [String; 10]) -> String {
    let [database, workers, few, many, growth, bare, share, creators, graphile, ratio] = cells;
    format!(
        "{database:<11} {workers:>7} {few:>10} {many:>10} {growth:>9} {bare:>10} {share:>9} {creators:>13} \
         {graphile:>9} {ratio:>13}"
    )
}

fn cells(one: &JobRates) -> [String; 10] {
    let rate = |rate: f64| format!("{rate:.0}");
    let ratio = |ratio: f64| format!("{ratio:.2}");
    let known = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let to_graphile = one.with_creators.zip(one.graphile).map(|(ours, theirs)| ours / theirs);
    [
        one.database.to_owned(),
        one.workers.to_string(),
        rate(one.few),
        rate(one.many),
        ratio(one.many / one.few),
        rate(one.bare_statements),
        ratio(one.few / one.bare_statements),
        known(one.with_creators.map(rate)),
        known(one.graphile.map(rate)),
        known(to_graphile.map(ratio)),
    ]
}
