//! `bench queue`: jobs per second from creation over claim to end, beside the bare statements and a well-known queue.

mod peer;
mod pgbench;
mod product;
mod report;

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use auris_domain::time::Clock;

use crate::captured::{CapturedRow, capture};
use crate::database::DatabaseKind;
use crate::fill::{self, Copies};
use crate::home::{self, Home};
use crate::load::{median, rate};
use crate::options::Options;
use crate::server::{Role, Server};
use crate::sql_baseline::{self, Recipe};
use crate::sql_work::{SqlWorker, Task};
use product::QueueWorker;
use report::Measure;

const WORKERS: [usize; 3] = [1, 8, 32];
/// Finished jobs in the tables of the smaller size.
const FEW: u64 = 10_000;
/// The parts take turns, so that a slow moment of the machine meets all of them.
const ROUNDS: u32 = 3;

pub(crate) async fn run(options: &Options) -> anyhow::Result<()> {
    let mut measures = Vec::new();
    for kind in DatabaseKind::available() {
        let few = Contest::prepare(kind, FEW).await?;
        let many = Contest::prepare(kind, options.jobs).await?;
        write_back()?;
        for workers in WORKERS {
            measures.push(compete(&few, &many, workers, options.round).await?);
        }
    }
    report::print(&measures, (FEW, options.jobs), options.json)
}

/// The store on tables of one size, and the bare statements on tables of their own of the same size.
struct Contest {
    kind: DatabaseKind,
    home: Home,
    rival: Home,
    recipe: Arc<Recipe>,
    job: String,
}

impl Contest {
    /// One real job from its creation to its end, then copies of it until there are as many as wanted.
    async fn prepare(kind: DatabaseKind, jobs: u64) -> anyhow::Result<Self> {
        let home = Home::create(kind).await?;
        let mut connection = home.database.connect().await?;
        let api = Server::start(&home, Role::Api).await?;
        let (job, _) = home::submit(&home, &api).await?;
        drop(api);
        let created = capture(&mut connection, &job).await?;
        let whole = Server::start(&home, Role::All).await?;
        home::completed(&home, &whole, &job).await?;
        drop(whole);
        let ended = capture(&mut connection, &job).await?;
        // SQLite lets nobody change how it keeps its journal while another is connected.
        drop(connection);
        let rival = sql_baseline::prepare(kind, &created).await?;
        let recipe = Arc::new(Recipe::new(kind, &created, &ended)?);
        for place in [&home, &rival] {
            fill_up(place, &ended, jobs).await?;
        }
        Ok(Self { kind, home, rival, recipe, job })
    }

    async fn product(&self, workers: usize, time: Duration) -> anyhow::Result<f64> {
        let workers = QueueWorker::many(&self.home, &self.job, workers).await?;
        let (rate, workers) = rate(workers, time).await?;
        QueueWorker::close(workers).await;
        Ok(rate)
    }

    async fn beside_creators(&self, workers: usize, time: Duration) -> anyhow::Result<f64> {
        let workers = QueueWorker::many(&self.home, &self.job, workers).await?;
        let rate = QueueWorker::beside_creators(&workers, time).await?;
        QueueWorker::close(workers).await;
        Ok(rate)
    }

    /// SQLite has one writer at a time; the store knows that and queues, and so does the loop.
    async fn bare(&self, workers: usize, time: Duration) -> anyhow::Result<f64> {
        let writers = match self.kind {
            DatabaseKind::Sqlite => 1,
            DatabaseKind::Postgres => workers,
        };
        let mut all = Vec::new();
        for _ in 0..writers {
            let connection = self.rival.database.connect().await?;
            all.push(SqlWorker { connection, recipe: Arc::clone(&self.recipe), task: Task::Cycle });
        }
        Ok(rate(all, time).await?.0)
    }
}

/// What the kernel still has to write of millions of rows would be paid for by whoever is measured first.
fn write_back() -> anyhow::Result<()> {
    let done = Command::new("sync").status().context("the `sync` command")?;
    ensure!(done.success(), "sync: {done}");
    Ok(())
}

async fn fill_up(home: &Home, ended: &[CapturedRow], jobs: u64) -> anyhow::Result<()> {
    let store = home.store().await?;
    let quiet = store.create_project("quiet", Clock::System.now()).await?.context("a new project")?;
    store.close().await;
    fill::fill(home, ended, &Copies { count: jobs, quiet_project: quiet.id }).await
}

async fn compete(few: &Contest, many: &Contest, workers: usize, time: Duration) -> anyhow::Result<Measure> {
    let (mut small, mut large, mut bare, mut bench) = (vec![], vec![], vec![], vec![]);
    let (mut beside, mut peer) = (vec![], vec![]);
    for _ in 0..ROUNDS {
        small.push(few.product(workers, time).await?);
        large.push(many.product(workers, time).await?);
        bare.push(few.bare(workers, time).await?);
        if few.kind == DatabaseKind::Postgres {
            bench.extend(pgbench::rate(&few.rival, &few.recipe, workers, time)?);
            beside.push(few.beside_creators(workers, time).await?);
            peer.extend(peer::rate(&few.rival, workers, time)?);
        }
    }
    let middle = |rates: &[f64]| (!rates.is_empty()).then(|| median(rates));
    Ok(Measure {
        database: few.kind.name(),
        workers,
        few: median(&small),
        many: median(&large),
        bare: median(&bare),
        pgbench: middle(&bench),
        beside_creators: middle(&beside),
        peer: middle(&peer),
    })
}
