//! The store as a queue: workers that create, claim and finish jobs, and recordings of the statements that this takes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use auris_domain::id::{JobId, StepId};
use auris_domain::job::JobRequest;
use auris_domain::machine::{ClaimedStep, Command, Run};
use auris_domain::result::JobResult;
use auris_domain::time::Clock;
use auris_domain::usage::Units;
use auris_domain::wire::JsonText;
use auris_store::recording::record;
use auris_store::{
    Creation, DatabaseSettings, JobLinks, Keyed, NewJob, RunCommit, StepContent, StepWorker, Store,
    StoreError,
};
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::fixture::{self, Fixture, Role, ServerProcess};
use crate::measure::Work;
use crate::sql::recording::Recording;

const LEASE_MS: i64 = 60_000;
/// How long a worker that finds an empty queue waits for a wake-up before it looks again.
const WAKE_UP_TIMEOUT: Duration = Duration::from_millis(100);
/// Maximum steps per claim; the service uses the same value.
const CLAIM_BATCH: usize = 16;
/// Finished jobs that the recorded reads choose from.
const JOBS_TO_READ: usize = 200;

/// A job as the server stores it when it is created. Every job of the bench is a copy of it.
#[derive(Clone)]
pub(crate) struct QueuedJob(Arc<Run>);

/// One worker of a node. All workers share the node's store, as in the service.
#[derive(Clone)]
pub(crate) struct QueueWorker {
    store: Store,
    pattern: QueuedJob,
    name: String,
}

/// The statements of each operation on a job with one step.
pub(crate) struct StoreRecordings {
    pub(crate) create: Arc<Recording>,
    pub(crate) claim: Arc<Recording>,
    pub(crate) finish: Arc<Recording>,
    pub(crate) read_job: Arc<Recording>,
    pub(crate) read_events: Arc<Recording>,
    pub(crate) events_per_job: u64,
}

impl QueuedJob {
    /// Creates a job through HTTP and reads what was stored.
    pub(crate) async fn create(fixture: &Fixture) -> anyhow::Result<Self> {
        let server = ServerProcess::start(fixture, Role::Api).await?;
        let (job, _) = fixture::submit(fixture, &server, &fixture::analysis()).await?;
        let job: JobId = job.parse().ok().context("a job id")?;
        let store = fixture.store().await?;
        let run = store.load_run(&job).await?.context("the job that was just created")?.run;
        store.close().await;
        Ok(Self(Arc::new(run)))
    }

    /// The same job under new ids.
    fn copy(&self) -> Run {
        let now = Clock::System.now();
        let mut run = Run::clone(&self.0);
        run.job.id = JobId::generate(now);
        for step in &mut run.steps {
            step.id = StepId::generate(now);
            step.job_id = run.job.id.clone();
        }
        run
    }
}

impl StoreRecordings {
    /// Records each operation once. Leaves a number of finished jobs behind, which the read operations can use.
    pub(crate) async fn make(fixture: &Fixture) -> anyhow::Result<Self> {
        let pattern = QueuedJob::create(fixture).await?;
        let worker = QueueWorker::start(fixture, &pattern, 1).await?.pop().context("one worker")?;
        for _ in 0..JOBS_TO_READ {
            worker.create().await?;
            worker.claim_and_finish().await?;
        }
        let project = pattern.0.job.project_id.clone();
        let (created, create) = record(worker.create()).await;
        created?;
        let (claimed, claim) = record(worker.claim(1)).await;
        let claimed = claimed?.pop().context("a queued step")?;
        let job = claimed.job_id().clone();
        let (finished, finish) = record(worker.finish(claimed)).await;
        finished?;
        let (read, read_job) = record(worker.store.job(&project, &job)).await;
        read?.context("the finished job")?;
        let (events, read_events) = record(worker.read_events(&job)).await;
        let events_per_job = events?;
        worker.store.close().await;
        let recording = |recorded| Arc::new(Recording::new(recorded));
        Ok(Self {
            create: recording(create),
            claim: Arc::new(Recording::of_claim(claim)),
            finish: recording(finish),
            read_job: recording(read_job),
            read_events: recording(read_events),
            events_per_job,
        })
    }
}

impl QueueWorker {
    pub(crate) async fn start(
        fixture: &Fixture,
        pattern: &QueuedJob,
        count: usize,
    ) -> anyhow::Result<Vec<Self>> {
        let connections = count.max(4) as u32;
        let store = Store::open(&DatabaseSettings::new(fixture.database.url.clone(), connections)).await?;
        let worker = |number| Self {
            store: store.clone(),
            pattern: pattern.clone(),
            name: format!("worker_{number}"),
        };
        Ok((0..count).map(worker).collect())
    }

    pub(crate) async fn close(workers: Vec<Self>) {
        if let Some(worker) = workers.first() {
            worker.store.close().await;
        }
    }

    /// Jobs per second of a node with as many slots as workers while as many callers create jobs, until all jobs are
    /// finished. graphile_worker is measured in the same way.
    pub(crate) async fn rate_with_creators(workers: &[Self], time: Duration) -> anyhow::Result<f64> {
        let node = workers.first().context("a worker")?.clone();
        let count = Arc::new(Count::default());
        let mut creators = JoinSet::new();
        let started = Instant::now();
        for worker in workers {
            creators.spawn(worker.clone().create_until(started + time, Arc::clone(&count)));
        }
        let consumer = tokio::spawn(node.consume(workers.len(), Arc::clone(&count)));
        while let Some(ended) = creators.join_next().await {
            ended??;
        }
        count.total.store(count.created.load(Ordering::SeqCst), Ordering::SeqCst);
        consumer.await??;
        Ok(count.finished.load(Ordering::SeqCst) as f64 / started.elapsed().as_secs_f64())
    }

    async fn create_until(self, end: Instant, count: Arc<Count>) -> anyhow::Result<()> {
        while Instant::now() < end {
            self.create().await?;
            count.created.fetch_add(1, Ordering::SeqCst);
        }
        Ok(())
    }

    /// As in the service, one loop claims steps for all free slots, and the claimed steps are finished concurrently.
    async fn consume(self, slots: usize, count: Arc<Count>) -> anyhow::Result<()> {
        let mut waiter = self.store.wakeups().steps_waiter();
        let slots = Arc::new(Semaphore::new(slots));
        let mut finishing = JoinSet::new();
        while count.finished.load(Ordering::SeqCst) < count.total.load(Ordering::SeqCst) {
            let mut free = vec![Arc::clone(&slots).acquire_owned().await?];
            while free.len() < CLAIM_BATCH
                && let Ok(slot) = Arc::clone(&slots).try_acquire_owned()
            {
                free.push(slot);
            }
            let claimed = self.claim(free.len()).await?;
            let all_slots_used = claimed.len() == free.len();
            for (claimed, slot) in claimed.into_iter().zip(free) {
                let worker = self.clone();
                let count = Arc::clone(&count);
                finishing.spawn(async move {
                    worker.finish(claimed).await?;
                    count.finished.fetch_add(1, Ordering::SeqCst);
                    drop(slot);
                    anyhow::Ok(())
                });
            }
            while let Some(ended) = finishing.try_join_next() {
                ended??;
            }
            if !all_slots_used {
                waiter.changed(WAKE_UP_TIMEOUT).await;
            }
        }
        Ok(())
    }

    async fn create(&self) -> anyhow::Result<()> {
        let now = Clock::System.now();
        let run = self.pattern.copy();
        let request = JobRequest::default();
        let new = NewJob {
            run,
            request,
            artifacts: Vec::new(),
            links: JobLinks::default(),
            idempotency: None,
            held_until: None,
            now,
        };
        match self.store.create_job(new).await? {
            Keyed::Done(Creation::Created) => Ok(()),
            other => bail!("a job was not created: {other:?}"),
        }
    }

    /// Returns how many steps were finished: one, or zero if the queue was empty.
    async fn claim_and_finish(&self) -> anyhow::Result<u64> {
        let claimed = self.claim(1).await?;
        let count = claimed.len() as u64;
        for claimed in claimed {
            self.finish(claimed).await?;
        }
        Ok(count)
    }

    async fn claim(&self, limit: usize) -> anyhow::Result<Vec<ClaimedStep>> {
        let now = Clock::System.now();
        let lease_until = now.plus_ms(LEASE_MS);
        let worker = StepWorker { name: &self.name, running: 0, now, lease_until };
        let claims = self.store.claim_steps(worker, limit as u32).await?;
        Ok(claims.steps)
    }

    async fn finish(&self, claimed: ClaimedStep) -> anyhow::Result<()> {
        let job = claimed.job_id().clone();
        let command = claimed.complete(None, Units::default());
        loop {
            let commit = self.completion(&job, command.clone()).await?;
            match self.store.commit_run(commit).await {
                Err(StoreError::Conflict) => {}
                outcome => return Ok(outcome.map(drop)?),
            }
        }
    }

    async fn completion(&self, job: &JobId, command: Command) -> anyhow::Result<RunCommit> {
        let loaded = self.store.load_run(job).await?.context("a claimed job")?;
        let mut run = loaded.run;
        let now = Clock::System.now();
        let changes = run.apply(command, now.timestamp())?;
        let content = JsonText::of(&json!({}));
        Ok(RunCommit {
            version: loaded.version,
            run,
            changes,
            step_content: Some(StepContent {
                ordinal: 0,
                output: content.clone(),
                response: content.clone(),
            }),
            artifacts: Vec::new(),
            result: Some(JobResult { full: content.clone(), light: content }),
            now,
            idempotency: None,
        })
    }

    /// What an event stream of a finished job reads; returns the number of events.
    async fn read_events(&self, job: &JobId) -> anyhow::Result<u64> {
        self.store.last_sequence(job).await?;
        let mut events = self.store.read_events(job, 0, 100).await?;
        for event in &mut events {
            self.store.fill_in(event).await?;
        }
        Ok(events.len() as u64)
    }
}

/// What creators and consumers share.
struct Count {
    created: AtomicU64,
    finished: AtomicU64,
    /// The number of jobs to finish; the maximum as long as jobs are still being created.
    total: AtomicU64,
}

impl Default for Count {
    fn default() -> Self {
        Self { created: 0.into(), finished: 0.into(), total: u64::MAX.into() }
    }
}

impl Work for QueueWorker {
    /// Creates one job and finishes one, not necessarily the same. Every worker creates before it claims, so there is
    /// always a job left for it.
    async fn once(&mut self) -> anyhow::Result<u64> {
        self.create().await?;
        loop {
            match self.claim_and_finish().await? {
                0 => {}
                finished => return Ok(finished),
            }
        }
    }
}
