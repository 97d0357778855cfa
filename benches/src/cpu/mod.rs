//! `bench cpu`: CPU time per request of two builds of the server, which take turns on the same machine.
//!
//! CPU time, unlike latency and throughput, hardly depends on what else the machine does. The turns alternate, so a
//! change of the machine's clock speed affects both builds.

mod contender;
mod load;
mod report;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::ensure;
use clap::Args;

use crate::report::Output;
use contender::Contender;
use load::{Measure, Turn};
use report::CpuComparison;

#[derive(Args)]
pub(crate) struct CpuOptions {
    /// The `auris` program to compare with
    #[arg(long, value_name = "PATH")]
    pub(crate) old: PathBuf,
    /// The `auris` program under test
    #[arg(long, value_name = "PATH")]
    pub(crate) new: PathBuf,
    /// Completed small jobs in each database before anything is measured
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u64).range(100..=100_000))]
    pub(crate) jobs: u64,
    /// Turns of each program for each measure
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) turns: u32,
    /// Approximate milliseconds of one turn
    #[arg(long, default_value_t = 1_500, value_parser = clap::value_parser!(u64).range(100..=60_000))]
    turn_ms: u64,
    /// Concurrent HTTP connections
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) connections: u32,
    #[command(flatten)]
    output: Output,
}

impl CpuOptions {
    fn turn(&self) -> Duration {
        Duration::from_millis(self.turn_ms)
    }
}

pub(crate) async fn run(options: &CpuOptions) -> anyhow::Result<()> {
    let old = Contender::prepare(&options.old, options.jobs).await?;
    let new = Contender::prepare(&options.new, options.jobs).await?;
    let mut comparisons = Vec::new();
    for measure in Measure::ALL {
        eprintln!("measuring: {}", measure.name());
        comparisons.push(compare(measure, [&old, &new], options).await?);
    }
    report::publish(comparisons, options)
}

/// Both programs get the same number of requests in each turn, so their databases stay the same size.
async fn compare(
    measure: Measure,
    [old, new]: [&Contender; 2],
    options: &CpuOptions,
) -> anyhow::Result<CpuComparison> {
    let connections = options.connections as usize;
    let first = Turn::take(measure, old, connections, measure.first_requests()).await?;
    Turn::take(measure, new, connections, measure.first_requests()).await?;
    let requests = first.requests_in(options.turn());
    ensure!(requests > 0, "{} takes longer than a turn; raise --turn-ms", measure.name());
    let mut comparison = CpuComparison::new(measure.name(), requests);
    for _ in 0..options.turns {
        let of_old = Turn::take(measure, old, connections, requests).await?;
        let of_new = Turn::take(measure, new, connections, requests).await?;
        comparison.add(of_old.cpu_microseconds_per_request(), of_new.cpu_microseconds_per_request());
    }
    Ok(comparison)
}
