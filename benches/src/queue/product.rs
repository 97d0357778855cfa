//! The product's side: a job is created, claimed and finished through the store, by as many workers as wanted.

use std::sync::Arc;

use anyhow::{Context, bail};
use auris_domain::id::{JobId, StepId};
use auris_domain::machine::{Command, Run};
use auris_domain::time::Clock;
use auris_domain::usage::{Units, Usage};
use auris_store::{
    ClaimedStep, Creation, DatabaseSettings, JobResult, NewJob, RunCommit, StepOutput, Store, StoreError,
};
use serde_json::json;

use crate::home::Home;
use crate::load::Work;

const LEASE_MS: i64 = 60_000;

/// One worker of a node. All of them share the node's store, as in the service.
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

impl Work for QueueWorker {
    /// Creates one and finishes one, whosever it was. There is always one left, for everybody creates before taking.
    async fn once(&mut self) -> anyhow::Result<u64> {
        self.create().await?;
        loop {
            let now = Clock::System.now();
            let claims = self.store.claim_steps(&self.name, 1, now, now.plus_ms(LEASE_MS)).await?;
            for claimed in &claims.steps {
                self.finish(claimed).await?;
            }
            if !claims.steps.is_empty() {
                return Ok(1);
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
