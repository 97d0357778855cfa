//! The sweeper: deletes expired content, old job records, and blobs that no row names.

use auris_domain::artifact::{ArtifactStatus, artifact_of_blob};
use auris_domain::time::Timestamp;
use auris_store::DeleteOutcome;
use futures::TryStreamExt;
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::error::Outcome;
use crate::{Service, ServiceError};

/// Maximum number of rows per transaction, so that no transaction takes long.
const BATCH: u32 = 100;
/// A blob is written before its row. A blob of this age without a row was left by a crash.
const ORPHAN_AGE_MS: i64 = 3_600_000;
/// Listing all blobs is expensive, so one node does it for all nodes, once in this number of sweeps.
const SWEEPS_PER_ORPHAN_SEARCH: i64 = 60;
const ORPHAN_SEARCH: &str = "orphans";

impl Service {
    /// Sweeps at intervals until it is stopped.
    pub fn run_sweeper(&self, stop: CancellationToken) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let mut interval = tokio::time::interval(self.settings().jobs.sweep);
            loop {
                tokio::select! {
                    _ = interval.tick() => {}
                    () = stop.cancelled() => return,
                }
                if let Err(error) = self.sweep().await {
                    tracing::warn!(%error, "cannot sweep now; trying again at the next interval");
                }
            }
        })
    }

    async fn sweep(&self) -> Outcome<()> {
        self.master_key().refresh();
        self.expire_content().await?;
        let now = self.clock().now();
        let before = Timestamp(now.timestamp().0 - self.settings().jobs.record_seconds);
        while self.store().purge_jobs(before, BATCH).await? == u64::from(BATCH) {}
        while self.store().sweep_keys(now, BATCH).await? == u64::from(BATCH) {}
        self.store().release_expired_holds(now).await?;
        let next = now.plus_ms(self.settings().jobs.sweep.as_millis() as i64 * SWEEPS_PER_ORPHAN_SEARCH);
        match self.store().claim_task(ORPHAN_SEARCH, now, next).await? {
            true => self.sweep_orphans().await,
            false => Ok(()),
        }
    }

    async fn expire_content(&self) -> Outcome<()> {
        loop {
            let now = self.clock().now();
            let expired = self.store().expired_jobs(now, BATCH).await?;
            for (project, job) in &expired {
                let outcome = self.store().delete_content(project, job, now, ArtifactStatus::Expired).await?;
                if let DeleteOutcome::Deleted(blobs) = outcome {
                    self.blobs().delete(&blobs).await?;
                    tracing::info!(job.id = %job, "deleted expired content");
                }
            }
            if expired.len() < BATCH as usize {
                return Ok(());
            }
        }
    }

    async fn sweep_orphans(&self) -> Outcome<()> {
        let older_than = self.clock().now().plus_ms(-ORPHAN_AGE_MS).to_system_time();
        let mut batches = self.blobs().list(older_than).try_chunks(BATCH as usize);
        while let Some(batch) = batches.try_next().await.map_err(|error| ServiceError::from(error.1))? {
            let ids: Vec<_> = batch.iter().filter_map(|blob| artifact_of_blob(&blob.key)).collect();
            let wanted = self.store().available_artifacts(&ids).await?;
            let is_orphan = |key: &str| artifact_of_blob(key).is_none_or(|id| !wanted.contains(&id));
            let keys = batch.into_iter().map(|blob| blob.key);
            let orphans: Vec<String> = keys.filter(|key| is_orphan(key)).collect();
            if !orphans.is_empty() {
                tracing::info!(count = orphans.len(), "removing blobs that no row names");
                self.blobs().delete(&orphans).await?;
            }
        }
        Ok(())
    }
}
