//! The store as a queue: workers that create, claim and finish jobs.

use std::sync::Arc;

use anyhow::{Context, bail};
use auris_domain::id::{JobId, ProjectId, StepId};
use auris_domain::job::JobRequest;
use auris_domain::machine::{ClaimedStep, Command, Run};
use auris_domain::result::JobResult;
use auris_domain::time::Clock;
use auris_domain::usage::Units;
use auris_domain::wire::JsonText;
use auris_store::{
    Creation, DatabaseSettings, JobLinks, Keyed, NewJob, RunCommit, StepContent, StepWorker, Store,
    StoreError,
};
use serde_json::json;

use crate::fixture::{self, Fixture, Role, ServerProcess};
use crate::measure::Work;

const LEASE_MS: i64 = 60_000;

/// A job as the server stores it when it is created. Every job of the bench is a copy of it.
#[derive(Clone)]
pub(crate) struct QueuedJob(Arc<Run>);

/// One worker of a node. All workers share the node's store, as in the service.
#[derive(Clone)]
pub(crate) struct QueueWorker {
    pub(super) store: Store,
    pattern: QueuedJob,
    name: String,
}

impl QueuedJob {
    /// Creates a job through HTTP and reads what was stored. The work of its step is read only with a claim, so the job is
    /// finished too.
    pub(crate) async fn create(fixture: &Fixture) -> anyhow::Result<Self> {
        let server = ServerProcess::start(fixture, Role::Api).await?;
        let (job, _) = fixture::submit(fixture, &server, &fixture::analysis()).await?;
        let job: JobId = job.parse().ok().context("a job id")?;
        let store = fixture.store().await?;
        let mut run = store.load_run(&job).await?.context("the job that was just created")?.run;
        let pattern = Self(Arc::new(run.clone()));
        let worker = QueueWorker { store, pattern, name: "worker_of_pattern".into() };
        let claimed = worker.claim(1).await?.pop().context("the only queued step")?;
        for step in &mut run.steps {
            step.work = Some(claimed.work().clone());
        }
        worker.finish(claimed).await?;
        worker.store.close().await;
        Ok(Self(Arc::new(run)))
    }

    pub(super) fn project(&self) -> &ProjectId {
        &self.0.job.project_id
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

    pub(super) async fn create(&self) -> anyhow::Result<()> {
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
    pub(super) async fn claim_and_finish(&self) -> anyhow::Result<u64> {
        let claimed = self.claim(1).await?;
        let count = claimed.len() as u64;
        for claimed in claimed {
            self.finish(claimed).await?;
        }
        Ok(count)
    }

    pub(super) async fn claim(&self, limit: usize) -> anyhow::Result<Vec<ClaimedStep>> {
        let now = Clock::System.now();
        let lease_until = now.plus_ms(LEASE_MS);
        let worker = StepWorker { name: &self.name, running: 0, now, lease_until };
        let claims = self.store.claim_steps(worker, limit as u32).await?;
        Ok(claims.steps)
    }

    pub(super) async fn finish(&self, claimed: ClaimedStep) -> anyhow::Result<()> {
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
    pub(super) async fn read_events(&self, job: &JobId) -> anyhow::Result<u64> {
        self.store.last_sequence(job).await?;
        let mut events = self.store.read_events(job, 0, 100).await?;
        for event in &mut events {
            self.store.fill_in(event).await?;
        }
        Ok(events.len() as u64)
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
