//! `bench queue`: jobs per second from creation to completion, next to the bare statements and to graphile_worker.

mod graphile;
mod node;
mod report;
mod store_queue;
pub(crate) mod store_recordings;

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Args;

use crate::fixture::Fixture;
use crate::measure::{RoundTime, median, rate};
use crate::report::{Output, Report};
use crate::sql::database::DatabaseKind;
use crate::sql::replay::Replay;
use report::JobRates;
use store_queue::{QueueWorker, QueuedJob};
use store_recordings::StoreRecordings;

const WORKERS: [usize; 3] = [1, 8, 32];
/// Finished jobs in the small database.
const FEW: u64 = 10_000;
/// The parts take turns, so that a slow moment of the machine affects all of them.
const ROUNDS: u32 = 3;

#[derive(Args)]
pub(crate) struct QueueOptions {
    /// Finished jobs in the large database
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(2_000..=5_000_000))]
    jobs: u64,
    #[command(flatten)]
    round: RoundTime,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(options: &QueueOptions) -> anyhow::Result<()> {
    let mut measures = Vec::new();
    for kind in DatabaseKind::available() {
        let few = Contest::prepare(kind, FEW).await?;
        let many = Contest::prepare(kind, options.jobs).await?;
        flush_disk_writes()?;
        for workers in WORKERS {
            measures.push(compete(&few, &many, workers, options.round.duration()).await?);
        }
    }
    let table = report::table(&measures, FEW, options.jobs)?;
    Report { bench: "queue", table, measures }.publish(&options.output)
}

/// The store on a database of one size, and the bare statements on another database of the same size.
struct Contest {
    kind: DatabaseKind,
    fixture: Fixture,
    baseline: Fixture,
    pattern: QueuedJob,
    recordings: StoreRecordings,
}

impl Contest {
    async fn prepare(kind: DatabaseKind, jobs: u64) -> anyhow::Result<Self> {
        let fixture = Fixture::create(kind).await?;
        fixture.fill(jobs).await?;
        let pattern = QueuedJob::create(&fixture).await?;
        let baseline = Fixture::create(kind).await?;
        baseline.fill(jobs).await?;
        let recordings = StoreRecordings::make(&baseline).await?;
        Ok(Self { kind, fixture, baseline, pattern, recordings })
    }

    async fn store(&self, workers: usize, time: Duration) -> anyhow::Result<f64> {
        let workers = QueueWorker::start(&self.fixture, &self.pattern, workers).await?;
        let (rate, workers) = rate(workers, time).await?;
        QueueWorker::close(workers).await;
        Ok(rate)
    }

    async fn store_with_creators(&self, workers: usize, time: Duration) -> anyhow::Result<f64> {
        let workers = QueueWorker::start(&self.fixture, &self.pattern, workers).await?;
        let rate = node::rate_with_creators(&workers, time).await?;
        QueueWorker::close(workers).await;
        Ok(rate)
    }

    /// SQLite has one writer at a time. The store queues for it, and so does the baseline.
    async fn bare_statements(&self, workers: usize, time: Duration) -> anyhow::Result<f64> {
        let connections = match self.kind {
            DatabaseKind::Sqlite => 1,
            DatabaseKind::Postgres => workers,
        };
        let StoreRecordings { create, claim, finish, .. } = &self.recordings;
        let mut replays = Vec::new();
        for _ in 0..connections {
            let connection = self.baseline.database.connect().await?;
            replays.push(Replay::new(connection, &[create, claim, finish], 1));
        }
        Ok(rate(replays, time).await?.0)
    }
}

/// Otherwise the first measurement would pay for the kernel's writing of millions of rows.
fn flush_disk_writes() -> anyhow::Result<()> {
    let status = Command::new("sync").status().context("the `sync` command")?;
    ensure!(status.success(), "sync: {status}");
    Ok(())
}

async fn compete(few: &Contest, many: &Contest, workers: usize, time: Duration) -> anyhow::Result<JobRates> {
    let mut of_few = Vec::new();
    let mut of_many = Vec::new();
    let mut bare = Vec::new();
    let mut with_creators = Vec::new();
    let mut graphile = Vec::new();
    for _ in 0..ROUNDS {
        of_few.push(few.store(workers, time).await?);
        of_many.push(many.store(workers, time).await?);
        bare.push(few.bare_statements(workers, time).await?);
        if few.kind == DatabaseKind::Postgres {
            with_creators.push(few.store_with_creators(workers, time).await?);
            graphile.extend(graphile::rate(&few.baseline, workers, time)?);
        }
    }
    let middle = |rates: &[f64]| (!rates.is_empty()).then(|| median(rates));
    Ok(JobRates {
        database: few.kind.name(),
        workers,
        few: median(&of_few),
        many: median(&of_many),
        bare_statements: median(&bare),
        with_creators: middle(&with_creators),
        graphile: middle(&graphile),
    })
}
