//! Retention: content goes when it expires, records some weeks later, and blobs without a row are swept.

use std::time::{Duration, SystemTime};

use auris_domain::artifact::ArtifactStatus;
use auris_domain::time::Timestamp;
use auris_store::{DeleteOutcome, artifact_of_blob};
use futures::TryStreamExt;
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::error::Outcome;
use crate::{Service, ServiceError};

/// Small bites, so that no transaction is long.
const BITE: u32 = 100;
/// A blob is written before its row; one this old without a row was left by a crash.
const ORPHAN_AGE: Duration = Duration::from_secs(3600);
/// Looking through all blobs is dear, so it is done at every so many sweeps, by one node for all.
const SWEEPS_PER_ORPHAN_SEARCH: i64 = 60;
const ORPHAN_SEARCH: &str = "orphans";

impl Service {
    /// Sweeps until told to stop.
    pub fn retain(&self, stop: CancellationToken) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let mut interval = tokio::time::interval(self.settings.jobs.sweep);
            loop {
                tokio::select! {
                    _ = interval.tick() => {}
                    () = stop.cancelled() => return,
                }
                if let Err(error) = self.sweep().await {
                    tracing::warn!(%error, "cannot sweep now");
                }
            }
        })
    }

    async fn sweep(&self) -> Outcome<()> {
        self.master_key.refresh();
        self.expire_content().await?;
        let now = self.clock.now();
        let before = Timestamp(now.timestamp().0 - self.settings.jobs.record_seconds);
        while self.store.purge_jobs(before, BITE).await? == u64::from(BITE) {}
        while self.store.sweep_keys(now, BITE).await? == u64::from(BITE) {}
        self.store.release_expired_holds(now).await?;
        let next = now.plus_ms(self.settings.jobs.sweep.as_millis() as i64 * SWEEPS_PER_ORPHAN_SEARCH);
        match self.store.take_chore(ORPHAN_SEARCH, now, next).await? {
            true => self.sweep_orphans().await,
            false => Ok(()),
        }
    }

    async fn expire_content(&self) -> Outcome<()> {
        loop {
            let now = self.clock.now();
            let expired = self.store.expired_jobs(now, BITE).await?;
            for (project, job) in &expired {
                let outcome = self.store.delete_content(project, job, now, ArtifactStatus::Expired).await?;
                if let DeleteOutcome::Deleted(blobs) = outcome {
                    self.blobs.delete(&blobs).await?;
                    tracing::info!(job.id = %job, "content expired");
                }
            }
            if expired.len() < BITE as usize {
                return Ok(());
            }
        }
    }

    async fn sweep_orphans(&self) -> Outcome<()> {
        let mut batches = self.blobs.list(SystemTime::now() - ORPHAN_AGE).try_chunks(BITE as usize);
        while let Some(batch) = batches.try_next().await.map_err(|error| ServiceError::from(error.1))? {
            let ids: Vec<_> = batch.iter().filter_map(|blob| artifact_of_blob(&blob.key)).collect();
            let wanted = self.store.artifact_exists(&ids).await?;
            let is_orphan = |key: &str| artifact_of_blob(key).is_none_or(|id| !wanted.contains(&id));
            let keys = batch.into_iter().map(|blob| blob.key);
            let orphans: Vec<String> = keys.filter(|key| is_orphan(key)).collect();
            if !orphans.is_empty() {
                tracing::info!(count = orphans.len(), "removing blobs that nothing names");
                self.blobs.delete(&orphans).await?;
            }
        }
        Ok(())
    }
}
