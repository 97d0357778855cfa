//! `bench list`: what a page of jobs and a claim cost in a small and in a large database.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use auris_domain::time::{Clock, Millis};
use auris_store::Store;
use rand::RngExt;

use crate::captured::capture;
use crate::database::DatabaseKind;
use crate::fill::{self, Copies};
use crate::home::{self, Home};
use crate::list_report::{self, Comparison};
use crate::options::Options;
use crate::server::{Role, Server, create_key};

const SMALL: u64 = 1_000;
const WARM_UP: usize = 30;
const SAMPLES: usize = 300;
/// Queued jobs for the claims, one each.
const CLAIMS: usize = 150;
const LEASE: Duration = Duration::from_secs(60);

pub(crate) async fn run(options: &Options) -> anyhow::Result<()> {
    let mut comparisons = Vec::new();
    for kind in DatabaseKind::available() {
        let began = Instant::now();
        let small = Side::prepare(kind, SMALL).await?;
        let large = Side::prepare(kind, options.jobs).await?;
        eprintln!("{}: filled in {:.0} s", kind.name(), began.elapsed().as_secs_f64());
        comparisons.extend(pages(kind, &small, &large).await?);
        comparisons.extend(claims(kind, &small, &large).await?);
    }
    list_report::print(&comparisons, (SMALL, options.jobs), options.json)
}

/// A server on a database of one size.
struct Side {
    jobs: u64,
    server: Server,
    home: Home,
    quiet_key: String,
    client: reqwest::Client,
}

/// Where a page begins.
#[derive(Clone, Copy)]
enum Place {
    First,
    /// Another one each time, so that no cache knows it.
    Middle,
    /// The first page of a project whose jobs all lie behind those of others.
    Quiet,
}

impl Side {
    /// One real job, then copies of it until there are as many as wanted.
    async fn prepare(kind: DatabaseKind, jobs: u64) -> anyhow::Result<Self> {
        let home = Home::create(kind).await?;
        let whole = Server::start(&home, Role::All).await?;
        let (job, _) = home::submit(&home, &whole).await?;
        home::completed(&home, &whole, &job).await?;
        drop(whole);
        let captured = capture(&mut home.database.connect().await?, &job).await?;
        let store = home.store().await?;
        let quiet = store.create_project("quiet", Clock::System.now()).await?.context("a new project")?;
        store.close().await;
        fill::fill(&home, &captured, &Copies { count: jobs - 1, quiet_project: quiet.id }).await?;
        let quiet_key = create_key(&home, "quiet")?;
        let server = Server::start(&home, Role::Api).await?;
        Ok(Self { jobs, server, home, quiet_key, client: home::client()? })
    }

    /// Reads one page; returns its milliseconds.
    async fn page(&self, place: Place, limit: u32) -> anyhow::Result<f64> {
        let after = match place {
            Place::First | Place::Quiet => String::new(),
            Place::Middle => {
                let number = rand::rng().random_range(self.jobs / 4..self.jobs * 3 / 4);
                format!("&after={}", fill::job_id(number))
            }
        };
        let url = format!("{}/v1/jobs?limit={limit}{after}", self.server.base);
        let key = match place {
            Place::First | Place::Middle => &self.home.key,
            Place::Quiet => &self.quiet_key,
        };
        let began = Instant::now();
        let answer = self.client.get(url).bearer_auth(key).send().await?.error_for_status()?;
        let bytes = answer.bytes().await?;
        let elapsed = began.elapsed();
        ensure!(bytes.len() > 100 * limit as usize, "a page of {limit} jobs has {} bytes only", bytes.len());
        Ok(elapsed.as_secs_f64() * 1000.0)
    }

    async fn queue_jobs(&self) -> anyhow::Result<()> {
        for _ in 0..CLAIMS {
            home::submit(&self.home, &self.server).await?;
        }
        Ok(())
    }
}

async fn pages(kind: DatabaseKind, small: &Side, large: &Side) -> anyhow::Result<Vec<Comparison>> {
    let mut comparisons = Vec::new();
    for (place, name, limit) in [
        (Place::First, "first page, limit 20", 20),
        (Place::First, "first page, limit 100", 100),
        (Place::Middle, "page in the middle, limit 20", 20),
        (Place::Middle, "page in the middle, limit 100", 100),
        (Place::Quiet, "page of a quiet project, limit 20", 20),
    ] {
        comparisons.push(compare_pages(kind, name, (small, large), (place, limit)).await?);
    }
    Ok(comparisons)
}

/// The two servers are asked in turns, so that a slow moment of the machine meets both.
async fn compare_pages(
    kind: DatabaseKind,
    name: &'static str,
    (small, large): (&Side, &Side),
    (place, limit): (Place, u32),
) -> anyhow::Result<Comparison> {
    let (mut of_small, mut of_large) = (Vec::new(), Vec::new());
    for round in 0..WARM_UP + SAMPLES {
        let (one, other) = (small.page(place, limit).await?, large.page(place, limit).await?);
        if round >= WARM_UP {
            of_small.push(one);
            of_large.push(other);
        }
    }
    Ok(Comparison::new(kind, name, &of_small, &of_large))
}

/// What the runner does: takes a step, and looks in vain. Measured at the store, for there is no HTTP in it.
async fn claims(kind: DatabaseKind, small: &Side, large: &Side) -> anyhow::Result<Vec<Comparison>> {
    small.queue_jobs().await?;
    large.queue_jobs().await?;
    let name = "first page, limit 100, all queued";
    let backlog = compare_pages(kind, name, (small, large), (Place::First, 100)).await?;
    let (one, other) = (small.home.store().await?, large.home.store().await?);
    let (mut of_small, mut of_large) = (Vec::new(), Vec::new());
    for _ in 0..CLAIMS {
        of_small.push(claim(&one, 1).await?);
        of_large.push(claim(&other, 1).await?);
    }
    let taken = Comparison::new(kind, "claim of a step", &of_small, &of_large);
    let (mut of_small, mut of_large) = (Vec::new(), Vec::new());
    for _ in 0..SAMPLES {
        of_small.push(claim(&one, 0).await?);
        of_large.push(claim(&other, 0).await?);
    }
    one.close().await;
    other.close().await;
    let vain = Comparison::new(kind, "look at an empty queue", &of_small, &of_large);
    Ok(vec![backlog, taken, vain])
}

/// Asks for one step; returns the milliseconds.
async fn claim(store: &Store, expected: usize) -> anyhow::Result<f64> {
    let now: Millis = Clock::System.now();
    let until = now.plus_ms(LEASE.as_millis() as i64);
    let began = Instant::now();
    let claims = store.claim_steps("worker_bench", 1, now, until).await?;
    let elapsed = began.elapsed();
    ensure!(claims.steps.len() == expected, "{} steps were claimed", claims.steps.len());
    Ok(elapsed.as_secs_f64() * 1000.0)
}
