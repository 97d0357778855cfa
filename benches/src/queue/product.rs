//! The product's side: a job is created, claimed and finished through the store, by as many workers as wanted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use auris_domain::id::{JobId, StepId};
use auris_domain::machine::{Command, Run};
use auris_domain::time::Clock;
use auris_domain::usage::{Units, Usage};
use auris_store::{
    ClaimedStep, Creation, DatabaseSettings, JobResult, NewJob, RunCommit, StepOutput, Store, StoreError,
};
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::home::Home;
use crate::load::Work;

const LEASE_MS: i64 = 60_000;
/// How long a worker that finds nothing waits for a wake-up.
const PATIENCE: Duration = Duration::from_millis(100);
/// As many steps as the service claims at once.
const CLAIM_BATCH: usize = 16;

/// One worker of a node. All of them share the node's store, as in the service.
#[derive(Clone)]
pub(crate) struct QueueWorker {
    store: Store,
    /// As a request left it, queued.
    pattern: Arc<Run>,
    name: String,
}

impl QueueWorker {
    pub(crate) async fn many(home: &Home, job: &str, count: usize) -> anyhow::Result<Vec<Self>> {
        let connections = count.max(4) as u32;
        let store = Store::open(&DatabaseSettings::new(home.database.url.clone(), connections)).await?;
        let job: JobId = job.parse().ok().context("a job's id")?;
        let run = store.load_run(&job).await?.context("the job to copy")?.run;
        let pattern = Arc::new(queued(run));
        let worker = |number| Self {
            store: store.clone(),
            pattern: Arc::clone(&pattern),
            name: format!("worker_{number}"),
        };
        Ok((0..count).map(worker).collect())
    }

    pub(crate) async fn close(workers: Vec<Self>) {
        if let Some(worker) = workers.first() {
            worker.store.close().await;
        }
    }

    /// Jobs per second of a node with this many places, when as many others create as it has, until all that was created is
    /// done: what the peer is measured by.
    pub(crate) async fn beside_creators(workers: &[Self], time: Duration) -> anyhow::Result<f64> {
        let node = workers.first().context("a worker")?.clone();
        let count = Arc::new(Count::default());
        let mut creators = JoinSet::new();
        let started = Instant::now();
        for worker in workers {
            creators.spawn(worker.clone().create_until(started + time, Arc::clone(&count)));
        }
        let taker = tokio::spawn(node.take_while_created(workers.len(), Arc::clone(&count)));
        while let Some(ended) = creators.join_next().await {
            ended??;
        }
        count.all_created.store(count.created.load(Ordering::SeqCst), Ordering::SeqCst);
        taker.await??;
        Ok(count.done.load(Ordering::SeqCst) as f64 / started.elapsed().as_secs_f64())
    }

    async fn create_until(self, end: Instant, count: Arc<Count>) -> anyhow::Result<()> {
        while Instant::now() < end {
            self.create().await?;
            count.created.fetch_add(1, Ordering::SeqCst);
        }
        Ok(())
    }

    /// As the service does it: one loop claims for all places that are free, and what it got is finished side by side.
    async fn take_while_created(self, places: usize, count: Arc<Count>) -> anyhow::Result<()> {
        let mut waiter = self.store.notify().steps_waiter();
        let places = Arc::new(Semaphore::new(places));
        let mut finishing = JoinSet::new();
        while count.done.load(Ordering::SeqCst) < count.all_created.load(Ordering::SeqCst) {
            let mut free = vec![Arc::clone(&places).acquire_owned().await?];
            while free.len() < CLAIM_BATCH
                && let Ok(place) = Arc::clone(&places).try_acquire_owned()
            {
                free.push(place);
            }
            let claimed = self.claim(free.len()).await?;
            let filled = claimed.len() == free.len();
            for (claimed, place) in claimed.into_iter().zip(free) {
                let (worker, count) = (self.clone(), Arc::clone(&count));
                finishing.spawn(async move {
                    worker.finish(&claimed).await?;
                    count.done.fetch_add(1, Ordering::SeqCst);
                    drop(place);
                    anyhow::Ok(())
                });
            }
            while let Some(ended) = finishing.try_join_next() {
                ended??;
            }
            if !filled {
                waiter.changed(PATIENCE).await;
            }
        }
        Ok(())
    }

    async fn create(&self) -> anyhow::Result<()> {
        let now = Clock::System.now();
        let mut run = Run::clone(&self.pattern);
        run.job.id = JobId::generate(now);
        for step in &mut run.steps {
            (step.id, step.job_id) = (StepId::generate(now), run.job.id.clone());
        }
        let new = NewJob { run, request: json!({}), artifacts: Vec::new(), idempotency: None, now };
        match self.store.create_job(new).await? {
            Creation::Created => Ok(()),
            other => bail!("a job was not created: {other:?}"),
        }
    }

    /// Claims a step and finishes it; none where nothing is queued.
    async fn take(&self) -> anyhow::Result<u64> {
        let claimed = self.claim(1).await?;
        for claimed in &claimed {
            self.finish(claimed).await?;
        }
        Ok(claimed.len() as u64)
    }

    async fn claim(&self, most: usize) -> anyhow::Result<Vec<ClaimedStep>> {
        let now = Clock::System.now();
        let claims = self.store.claim_steps(&self.name, most as u32, now, now.plus_ms(LEASE_MS)).await?;
        Ok(claims.steps)
    }

    async fn finish(&self, claimed: &ClaimedStep) -> anyhow::Result<()> {
        loop {
            let loaded = self.store.load_run(&claimed.job.id).await?.context("a claimed job")?;
            let (mut run, now) = (loaded.run, Clock::System.now());
            let command = Command::Complete {
                ordinal: claimed.step.ordinal,
                attempt: claimed.step.attempt,
                resolved_model: None,
                usage: Usage::priced(Units::default(), &claimed.step.rates),
            };
            let changes =
                run.apply(command, now.timestamp()).map_err(|error| anyhow::anyhow!("{error:?}"))?;
            let output = StepOutput { ordinal: claimed.step.ordinal, output: json!({}), response: json!({}) };
            let commit = RunCommit {
                version: loaded.version,
                run,
                changes,
                step_output: Some(output),
                artifacts: Vec::new(),
                result: Some(JobResult { full: json!({}), light: json!({}) }),
                lease: None,
                now,
                idempotency: None,
            };
            match self.store.commit_run(commit).await {
                Err(StoreError::Conflict) => {}
                outcome => return Ok(outcome.map(drop)?),
            }
        }
    }
}

/// What creators and takers tell each other.
struct Count {
    created: AtomicU64,
    done: AtomicU64,
    /// How many there are in all; unknown, and so without end, while somebody creates.
    all_created: AtomicU64,
}

impl Default for Count {
    fn default() -> Self {
        Self { created: 0.into(), done: 0.into(), all_created: u64::MAX.into() }
    }
}

impl Work for QueueWorker {
    /// Creates one and finishes one, whosever it was. There is always one left, for everybody creates before taking.
    async fn once(&mut self) -> anyhow::Result<u64> {
        self.create().await?;
        loop {
            match self.take().await? {
                0 => {}
                taken => return Ok(taken),
            }
        }
    }
}

/// The run as it was before anything happened to it.
fn queued(mut run: Run) -> Run {
    use auris_domain::job::JobStatus;
    use auris_domain::step::StepStatus;
    run.job.status = JobStatus::Queued;
    (run.job.started_at, run.job.completed_at, run.job.usage) = (None, None, None);
    run.job.progress.percent = 0;
    run.job.progress.completed_steps = 0;
    run.job.progress.current_steps.clear();
    for step in &mut run.steps {
        step.status = StepStatus::Queued;
        (step.started_at, step.completed_at, step.usage, step.resolved_model) = (None, None, None, None);
        (step.attempt, step.losses) = (0, 0);
    }
    run
}
