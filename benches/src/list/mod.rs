//! `bench list`: the latency of a page of jobs and of a claim, in a small and in a large database.

mod report;

use std::time::{Duration, Instant};

use anyhow::ensure;
use auris_domain::time::Clock;
use auris_store::{StepWorker, Store};
use clap::Args;
use rand::RngExt;

use crate::fixture::{self, Fixture, QUIET_PROJECT, Role, ServerProcess};
use crate::report::{Output, Report};
use crate::sql::copies;
use crate::sql::database::DatabaseKind;
use report::LatencyComparison;

/// Jobs in the small database.
const SMALL: u64 = 1_000;
/// Requests before the first one that counts.
const WARM_UP: usize = 30;
const SAMPLES: usize = 300;
/// Queued jobs for the claims, one each.
const CLAIMS: usize = 150;
const LEASE: Duration = Duration::from_secs(60);

#[derive(Args)]
pub(crate) struct ListOptions {
    /// Jobs in the large database
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(2_000..=5_000_000))]
    jobs: u64,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(options: &ListOptions) -> anyhow::Result<()> {
    let mut comparisons = Vec::new();
    for kind in DatabaseKind::available() {
        let began = Instant::now();
        let sides = Sides {
            kind,
            small: Side::prepare(kind, SMALL).await?,
            large: Side::prepare(kind, options.jobs).await?,
        };
        eprintln!("{}: filled in {:.0} s", kind.name(), began.elapsed().as_secs_f64());
        comparisons.extend(sides.pages().await?);
        comparisons.extend(sides.claims().await?);
    }
    let table = report::table(&comparisons, SMALL, options.jobs)?;
    Report { bench: "list", table, measures: comparisons }.publish(&options.output)
}

/// The same server on a small and on a large database.
struct Sides {
    kind: DatabaseKind,
    small: Side,
    large: Side,
}

/// A server on a database of one size.
struct Side {
    jobs: u64,
    server: ServerProcess,
    fixture: Fixture,
    quiet_key: String,
    client: reqwest::Client,
}

/// One page, by what is asked for.
#[derive(Clone, Copy)]
struct Page {
    name: &'static str,
    position: Position,
    limit: u32,
}

#[derive(Clone, Copy)]
enum Position {
    First,
    /// A different one each time, so that no cache has it.
    Middle,
    /// The first page of a project whose jobs are all older than those of the other project.
    QuietProject,
}

const PAGES: [Page; 5] = [
    Page { name: "first page, limit 20", position: Position::First, limit: 20 },
    Page { name: "first page, limit 100", position: Position::First, limit: 100 },
    Page { name: "page in the middle, limit 20", position: Position::Middle, limit: 20 },
    Page { name: "page in the middle, limit 100", position: Position::Middle, limit: 100 },
    Page { name: "page of a quiet project, limit 20", position: Position::QuietProject, limit: 20 },
];

impl Sides {
    async fn pages(&self) -> anyhow::Result<Vec<LatencyComparison>> {
        let mut comparisons = Vec::new();
        for page in PAGES {
            comparisons.push(self.page(page).await?);
        }
        Ok(comparisons)
    }

    /// The servers take turns, so that a slow moment of the machine affects both.
    async fn page(&self, page: Page) -> anyhow::Result<LatencyComparison> {
        let mut small = Vec::new();
        let mut large = Vec::new();
        for round in 0..WARM_UP + SAMPLES {
            let of_small = self.small.page(page).await?;
            let of_large = self.large.page(page).await?;
            if round >= WARM_UP {
                small.push(of_small);
                large.push(of_large);
            }
        }
        Ok(LatencyComparison::new(self.kind, page.name, &small, &large))
    }

    /// What the worker does. Measured at the store, because no HTTP is involved.
    async fn claims(&self) -> anyhow::Result<Vec<LatencyComparison>> {
        self.small.queue_jobs().await?;
        self.large.queue_jobs().await?;
        let name = "first page, limit 100, all queued";
        let backlog = self.page(Page { name, position: Position::First, limit: 100 }).await?;
        let small = self.small.fixture.store().await?;
        let large = self.large.fixture.store().await?;
        let claims = self.claim("claim of a step", (&small, &large), CLAIMS, 1).await?;
        let empty = self.claim("claim from an empty queue", (&small, &large), SAMPLES, 0).await?;
        small.close().await;
        large.close().await;
        Ok(vec![backlog, claims, empty])
    }

    async fn claim(
        &self,
        name: &'static str,
        (small, large): (&Store, &Store),
        times: usize,
        expected: usize,
    ) -> anyhow::Result<LatencyComparison> {
        let mut of_small = Vec::new();
        let mut of_large = Vec::new();
        for _ in 0..times {
            of_small.push(claim(small, expected).await?);
            of_large.push(claim(large, expected).await?);
        }
        Ok(LatencyComparison::new(self.kind, name, &of_small, &of_large))
    }
}

impl Side {
    async fn prepare(kind: DatabaseKind, jobs: u64) -> anyhow::Result<Self> {
        let fixture = Fixture::create(kind).await?;
        fixture.fill(jobs).await?;
        let quiet_key = fixture.create_key(QUIET_PROJECT)?;
        let server = ServerProcess::start(&fixture, Role::Api).await?;
        Ok(Self { jobs, server, fixture, quiet_key, client: fixture::client()? })
    }

    /// Reads one page; returns the milliseconds.
    async fn page(&self, page: Page) -> anyhow::Result<f64> {
        let after = match page.position {
            Position::First | Position::QuietProject => String::new(),
            Position::Middle => {
                let number = rand::rng().random_range(self.jobs / 4..self.jobs * 3 / 4);
                format!("&after={}", copies::job_id(number))
            }
        };
        let key = match page.position {
            Position::First | Position::Middle => &self.fixture.key,
            Position::QuietProject => &self.quiet_key,
        };
        let url = format!("{}/v1/jobs?limit={}{after}", self.server.base, page.limit);
        let began = Instant::now();
        let response = self.client.get(url).bearer_auth(key).send().await?.error_for_status()?;
        let bytes = response.bytes().await?.len();
        let elapsed = began.elapsed();
        ensure!(bytes > 100 * page.limit as usize, "{}: only {bytes} bytes", page.name);
        Ok(elapsed.as_secs_f64() * 1000.0)
    }

    async fn queue_jobs(&self) -> anyhow::Result<()> {
        for _ in 0..CLAIMS {
            fixture::submit(&self.fixture, &self.server, &fixture::analysis()).await?;
        }
        Ok(())
    }
}

/// Claims one step; returns the milliseconds.
async fn claim(store: &Store, expected: usize) -> anyhow::Result<f64> {
    let now = Clock::System.now();
    let lease_until = now.plus_ms(LEASE.as_millis() as i64);
    let worker = StepWorker { name: "worker_bench", running: 0, now, lease_until };
    let began = Instant::now();
    let claims = store.claim_steps(worker, 1).await?;
    let elapsed = began.elapsed();
    ensure!(claims.steps.len() == expected, "{} steps were claimed, not {expected}", claims.steps.len());
    Ok(elapsed.as_secs_f64() * 1000.0)
}
