//! `bench api`: requests per second of the server, next to a bare axum handler and to the store's bare statements.

mod report;

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::ensure;
use clap::Args;
use reqwest::Method;

use crate::fixture::{self, Fixture, Role, ServerProcess};
use crate::http::axum_baseline::{Answers, AxumBaseline};
use crate::http::{self, Request};
use crate::measure::{RoundTime, median, rate};
use crate::queue::store_recordings::StoreRecordings;
use crate::report::{Output, Report};
use crate::sql::database::DatabaseKind;
use crate::sql::recording::Recording;
use crate::sql::replay::{JobsToRead, Replay};
use report::{Baselines, RequestRates};

/// Concurrent callers, each on a separate connection. The server opens as many connections to its database.
const CONNECTIONS: usize = 16;
/// The parts take turns, so that a slow moment of the machine affects all of them.
const ROUNDS: u32 = 3;
/// Maximum number of different jobs that are read.
const JOBS_READ: usize = 1_000;

#[derive(Args)]
pub(crate) struct ApiOptions {
    #[command(flatten)]
    round: RoundTime,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(options: &ApiOptions) -> anyhow::Result<()> {
    let mut measures = Vec::new();
    for kind in DatabaseKind::available() {
        let contest = Contest::prepare(kind, options.round.duration()).await?;
        measures.push(contest.creations().await?);
        measures.push(contest.completions().await?);
        measures.extend(contest.reads().await?);
    }
    Report { bench: "api", table: report::table(&measures)?, measures }.publish(&options.output)
}

/// The server and its baselines on one kind of database.
struct Contest {
    kind: DatabaseKind,
    round: Duration,
    fixture: Fixture,
    /// The database that the recorded statements run on.
    baseline: Fixture,
    recordings: StoreRecordings,
    handler: AxumBaseline,
}

impl Contest {
    /// Runs one job on each database: its answers and its statements are what the baselines repeat.
    async fn prepare(kind: DatabaseKind, round: Duration) -> anyhow::Result<Self> {
        let fixture = Fixture::create(kind).await?;
        let server = ServerProcess::start(&fixture, Role::All).await?;
        let (job, created) = fixture::run_job(&fixture, &server).await?;
        let answers = Answers {
            created,
            job: fixture::read(&fixture, &server, &format!("/v1/jobs/{job}")).await?,
            events: fixture::read(&fixture, &server, &format!("/v1/jobs/{job}/events")).await?,
        };
        drop(server);
        let baseline = Fixture::create(kind).await?;
        let recordings = StoreRecordings::make(&baseline).await?;
        let handler = AxumBaseline::start(&answers, fixture.folder())?;
        Ok(Self { kind, round, fixture, baseline, recordings, handler })
    }

    async fn creations(&self) -> anyhow::Result<RequestRates> {
        let request = Request {
            method: Method::POST,
            paths: Arc::new(vec!["/v1/audio/analyses".to_owned()]),
            body: Some(fixture::analysis().to_string().into()),
            status: 202,
            count: http::one,
        };
        // SQLite has one writer at a time. The store queues for it, and so does the baseline.
        let writers = match self.kind {
            DatabaseKind::Sqlite => 1,
            DatabaseKind::Postgres => CONNECTIONS,
        };
        let mut replays = Vec::new();
        for _ in 0..writers {
            let connection = self.baseline.database.connect().await?;
            replays.push(Replay::new(connection, &[&self.recordings.create], 1));
        }
        self.compete("job creations", &request, replays).await
    }

    /// How many of the jobs that the creations left in the queue the server completes per second.
    async fn completions(&self) -> anyhow::Result<RequestRates> {
        let mut connection = self.fixture.database.connect().await?;
        let unfinished = "SELECT COUNT(*) FROM jobs WHERE status IN ('queued', 'in_progress')";
        let _server = ServerProcess::start(&self.fixture, Role::All).await?;
        let began = Instant::now();
        let before = connection.number(unfinished).await?;
        ensure!(before > 0, "no job is queued");
        loop {
            tokio::time::sleep(Duration::from_millis(20)).await;
            let elapsed = began.elapsed();
            let left = connection.number(unfinished).await?;
            if left == 0 || elapsed > self.round * ROUNDS * 2 {
                let rate = (before - left) as f64 / elapsed.as_secs_f64();
                return Ok(RequestRates::new(self.kind, "jobs completed", &[rate], Baselines::default()));
            }
        }
    }

    async fn reads(&self) -> anyhow::Result<[RequestRates; 2]> {
        let ours = finished_jobs(&self.fixture).await?;
        let theirs = finished_jobs(&self.baseline).await?;
        let request = |suffix: &str, count| Request {
            method: Method::GET,
            paths: Arc::new(ours.iter().map(|job| format!("/v1/jobs/{job}{suffix}")).collect()),
            body: None,
            status: 200,
            count,
        };
        let recordings = &self.recordings;
        let jobs = self.reading(&recordings.read_job, &theirs, 1).await?;
        let events = self.reading(&recordings.read_events, &theirs, recordings.events_per_job).await?;
        Ok([
            self.compete("job reads", &request("", http::one), jobs).await?,
            self.compete("events streamed", &request("/events", http::events), events).await?,
        ])
    }

    async fn reading(
        &self,
        recording: &Arc<Recording>,
        jobs: &Arc<Vec<String>>,
        units: u64,
    ) -> anyhow::Result<Vec<Replay>> {
        let mut replays = Vec::new();
        for index in 0..CONNECTIONS {
            let connection = self.baseline.database.connect().await?;
            let jobs = JobsToRead { ids: Arc::clone(jobs), next: index * 50 };
            replays.push(Replay::new(connection, &[recording], units).of_jobs(jobs));
        }
        Ok(replays)
    }

    /// Server, axum handler and bare statements in turns. The medians count.
    async fn compete(
        &self,
        measure: &'static str,
        request: &Request,
        mut sql: Vec<Replay>,
    ) -> anyhow::Result<RequestRates> {
        let server = ServerProcess::start(&self.fixture, Role::Api).await?;
        let mut ours = http::workers(&server.base, &self.fixture.key, request, CONNECTIONS)?;
        let mut bare = http::workers(&self.handler.base, &self.fixture.key, request, CONNECTIONS)?;
        (_, ours) = rate(ours, self.round / 4).await?;
        (_, bare) = rate(bare, self.round / 4).await?;
        let mut rates = [const { Vec::new() }; 3];
        let mut latest;
        for _ in 0..ROUNDS {
            (latest, ours) = rate(ours, self.round).await?;
            rates[0].push(latest);
            (latest, bare) = rate(bare, self.round).await?;
            rates[1].push(latest);
            (latest, sql) = rate(sql, self.round).await?;
            rates[2].push(latest);
        }
        let [server, axum, sql] = rates;
        let baselines = Baselines { axum: Some(median(&axum)), sql: Some(median(&sql)) };
        Ok(RequestRates::new(self.kind, measure, &server, baselines))
    }
}

async fn finished_jobs(fixture: &Fixture) -> anyhow::Result<Arc<Vec<String>>> {
    let select = format!("SELECT id FROM jobs WHERE status = 'completed' ORDER BY id LIMIT {JOBS_READ}");
    let ids = fixture.database.connect().await?.texts(&select).await?;
    ensure!(!ids.is_empty(), "no job is completed");
    Ok(Arc::new(ids))
}
