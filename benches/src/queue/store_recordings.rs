//! Recordings of the statements that the store sends for each operation on a job.

use std::sync::Arc;

use anyhow::Context;
use auris_store::recording::record;

use super::store_queue::{QueueWorker, QueuedJob};
use crate::fixture::Fixture;
use crate::sql::recording::Recording;

/// Finished jobs that the recorded reads choose from.
const JOBS_TO_READ: usize = 200;

/// The statements of each operation on a job with one step.
pub(crate) struct StoreRecordings {
    pub(crate) create: Arc<Recording>,
    pub(crate) claim: Arc<Recording>,
    pub(crate) finish: Arc<Recording>,
    pub(crate) read_job: Arc<Recording>,
    pub(crate) read_events: Arc<Recording>,
    pub(crate) events_per_job: u64,
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
        let (created, create) = record(worker.create()).await;
        created?;
        let (claimed, claim) = record(worker.claim(1)).await;
        let claimed = claimed?.pop().context("a queued step")?;
        let job = claimed.job_id().clone();
        let (finished, finish) = record(worker.finish(claimed)).await;
        finished?;
        let (read, read_job) = record(worker.store.job(pattern.project(), &job)).await;
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
