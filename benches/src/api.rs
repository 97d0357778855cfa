//! `bench api`: creations, reads, step transitions and events per second, beside bare axum and bare SQL.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::ensure;
use reqwest::Method;

use crate::bare::{Answers, BareHandler};
use crate::captured::{CopyIds, capture};
use crate::database::DatabaseKind;
use crate::home::{self, Home};
use crate::http_work::{self, Request};
use crate::load::{median, rate};
use crate::options::Options;
use crate::report::{self, Measure};
use crate::server::{Role, Server};
use crate::sql_baseline::{self, Recipe};
use crate::sql_work::{Reading, SqlWorker, Task, ids_of};

/// Callers at once, on a connection each: the server opens as many connections to its database.
const CONNECTIONS: usize = 16;
/// The parts take turns, so that a slow moment of the machine meets all of them.
const ROUNDS: u32 = 3;
/// Jobs that are read over and over.
const MOST_READ: usize = 1000;

pub(crate) async fn run(options: &Options) -> anyhow::Result<()> {
    let mut measures = Vec::new();
    for kind in DatabaseKind::available() {
        let contest = Contest::prepare(kind, options.round).await?;
        measures.push(contest.creations().await?);
        measures.extend(contest.transitions().await?);
        measures.extend(contest.readings().await?);
    }
    report::print(&measures, options.json)
}

/// The server and its rivals on one kind of database.
struct Contest {
    kind: DatabaseKind,
    round: Duration,
    home: Home,
    /// Where the bare SQL loops work.
    rival: Home,
    recipe: Arc<Recipe>,
    handler: BareHandler,
}

impl Contest {
    /// One job from its creation to its end gives the bodies and the rows that the rivals repeat.
    async fn prepare(kind: DatabaseKind, round: Duration) -> anyhow::Result<Self> {
        let home = Home::create(kind).await?;
        let mut connection = home.database.connect().await?;
        let api = Server::start(&home, Role::Api).await?;
        let (job, answer) = home::submit(&home, &api).await?;
        drop(api);
        let created = capture(&mut connection, &job).await?;
        let whole = Server::start(&home, Role::All).await?;
        home::completed(&home, &whole, &job).await?;
        let answers = Answers {
            created: answer,
            job: home::read(&home, &whole, &format!("/v1/jobs/{job}")).await?,
            events: home::read(&home, &whole, &format!("/v1/jobs/{job}/events")).await?,
        };
        let ended = capture(&mut connection, &job).await?;
        let rival = sql_baseline::prepare(kind, &created).await?;
        let recipe = Arc::new(Recipe::new(kind, &created, &ended)?);
        let handler = BareHandler::start(&answers, home.folder())?;
        Ok(Self { kind, round, home, rival, recipe, handler })
    }

    async fn creations(&self) -> anyhow::Result<Measure> {
        let request = Request {
            method: Method::POST,
            paths: Arc::new(vec!["/v1/audio/analyses".to_owned()]),
            body: Some(home::analysis().to_string().into()),
            status: 202,
            count: http_work::one,
        };
        // SQLite has one writer at a time; the server knows that and queues, and so does the loop.
        let writers = match self.kind {
            DatabaseKind::Sqlite => 1,
            DatabaseKind::Postgres => CONNECTIONS,
        };
        let workers = self.sql_workers(writers, |_| Task::Create).await?;
        self.compete("job creations", &request, workers).await
    }

    /// How fast the queue that the creations left is worked off, two transitions a step, and the events with them.
    async fn transitions(&self) -> anyhow::Result<[Measure; 2]> {
        let server = self.work_off_the_queue().await?;
        let workers = match self.kind {
            DatabaseKind::Sqlite => 1,
            DatabaseKind::Postgres => std::thread::available_parallelism()?.get(),
        };
        let workers = self.sql_workers(workers, |_| Task::MoveStep).await?;
        let (sql, _) = rate(workers, self.round * ROUNDS).await?;
        let events = self.recipe.events_of_a_step() as f64 / 2.0;
        Ok([
            Measure::new(self.kind, "step transitions", &[server], None, Some(sql)),
            Measure::new(self.kind, "events stored", &[server * events], None, Some(sql * events)),
        ])
    }

    async fn work_off_the_queue(&self) -> anyhow::Result<f64> {
        let mut connection = self.home.database.connect().await?;
        let queued = "SELECT COUNT(*) FROM steps WHERE status IN ('queued', 'in_progress')";
        let _server = Server::start(&self.home, Role::All).await?;
        let (began, before) = (Instant::now(), connection.number(queued).await?);
        ensure!(before > 0, "nothing was queued to work off");
        loop {
            tokio::time::sleep(Duration::from_millis(20)).await;
            let (elapsed, left) = (began.elapsed(), connection.number(queued).await?);
            if left == 0 || elapsed > self.round * ROUNDS * 2 {
                return Ok(2.0 * (before - left) as f64 / elapsed.as_secs_f64());
            }
        }
    }

    async fn readings(&self) -> anyhow::Result<[Measure; 2]> {
        let ours = finished_jobs(&self.home).await?;
        let theirs = Arc::new(finished_jobs(&self.rival).await?);
        let request = |suffix: &str, count| Request {
            method: Method::GET,
            paths: Arc::new(ours.iter().map(|ids| format!("/v1/jobs/{}{suffix}", ids.job)).collect()),
            body: None,
            status: 200,
            count,
        };
        let reading = |index| Reading { jobs: Arc::clone(&theirs), next: index * 50 };
        let jobs = self.sql_workers(CONNECTIONS, |index| Task::ReadJob(reading(index))).await?;
        let events = self.sql_workers(CONNECTIONS, |index| Task::ReadEvents(reading(index))).await?;
        Ok([
            self.compete("job reads", &request("", http_work::one), jobs).await?,
            self.compete("events streamed", &request("/events", http_work::events), events).await?,
        ])
    }

    /// Server, bare handler and bare SQL in turns; the medians count.
    async fn compete(
        &self,
        measure: &'static str,
        request: &Request,
        mut sql: Vec<SqlWorker>,
    ) -> anyhow::Result<Measure> {
        let server = Server::start(&self.home, Role::Api).await?;
        let mut ours = http_work::workers(&server.base, &self.home.key, request, CONNECTIONS)?;
        let mut bare = http_work::workers(&self.handler.base, &self.home.key, request, CONNECTIONS)?;
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
        Ok(Measure::new(self.kind, measure, &server, Some(median(&axum)), Some(median(&sql))))
    }

    async fn sql_workers(
        &self,
        count: usize,
        task: impl Fn(usize) -> Task,
    ) -> anyhow::Result<Vec<SqlWorker>> {
        let mut workers = Vec::new();
        for index in 0..count {
            let connection = self.rival.database.connect().await?;
            workers.push(SqlWorker { connection, recipe: Arc::clone(&self.recipe), task: task(index) });
        }
        Ok(workers)
    }
}

async fn finished_jobs(home: &Home) -> anyhow::Result<Vec<CopyIds>> {
    let select = format!(
        "SELECT jobs.id, steps.id AS step_id FROM jobs JOIN steps ON steps.job_id = jobs.id
         WHERE jobs.status = 'completed' ORDER BY jobs.id LIMIT {MOST_READ}"
    );
    let rows = home.database.connect().await?.rows(&select.into(), &[]).await?;
    ensure!(!rows.is_empty(), "no job is completed");
    rows.iter().map(|row| Ok(ids_of(&row.named_values()?))).collect()
}
