//! Orphan blobs: those that no row names, left by a crash between the two writes. They are deleted only after a week, so
//! that a mistake, such as a database that was restored from a backup, can be repaired.

use std::collections::HashMap;

use auris_domain::artifact::{ArtifactStatus, artifact_of_blob};
use auris_domain::id::ArtifactId;
use auris_domain::time::Millis;
use auris_store::BlobEntry;
use futures::TryStreamExt;

use super::sweeper::BATCH;
use crate::error::Outcome;
use crate::{Service, ServiceError};

/// A blob is written before its row. A blob of this age without a row was left by a crash.
const ORPHAN_AGE_MS: i64 = 3_600_000;
/// How long an orphan is kept after it was first found.
const QUARANTINE_MS: i64 = 7 * 86_400_000;

/// What to do about blobs, by their keys.
#[derive(Default)]
struct Sorted {
    /// Their content was deleted or has expired, and a crash came before the blob was removed.
    deleted: Vec<String>,
    /// No row names them.
    orphans: Vec<String>,
}

impl Service {
    /// Goes through all blobs, a few at a time. Keys that are not those of artifacts are not ours and are left alone.
    pub(super) async fn sweep_orphans(&self, now: Millis) -> Outcome<()> {
        let older_than = now.plus_ms(-ORPHAN_AGE_MS).to_system_time();
        let mut batches = self.blobs().list(older_than).try_chunks(BATCH as usize);
        while let Some(batch) = batches.try_next().await.map_err(|error| ServiceError::from(error.1))? {
            let artifacts: Vec<(String, ArtifactId)> = batch.into_iter().filter_map(with_artifact).collect();
            let ids: Vec<ArtifactId> = artifacts.iter().map(|(_, id)| id.clone()).collect();
            let statuses = self.store().artifact_statuses(&ids).await?;
            let sorted = sort(artifacts, &statuses);
            self.remove(&sorted.deleted, "removing blobs whose content was deleted").await?;
            self.quarantine(&sorted.orphans, now).await?;
        }
        Ok(self.store().forget_unseen_orphans(now).await?)
    }

    /// Remembers orphans, and removes those that were found a week ago for the first time.
    async fn quarantine(&self, orphans: &[String], now: Millis) -> Outcome<()> {
        if orphans.is_empty() {
            return Ok(());
        }
        self.store().remember_orphans(orphans, now).await?;
        let due = self.store().orphans_found_before(orphans, now.plus_ms(-QUARANTINE_MS)).await?;
        self.remove(&due, "removing blobs that no row has named for a week").await?;
        Ok(self.store().forget_orphans(&due).await?)
    }

    async fn remove(&self, keys: &[String], reason: &'static str) -> Outcome<()> {
        if keys.is_empty() {
            return Ok(());
        }
        tracing::info!(count = keys.len(), "{reason}");
        Ok(self.blobs().delete(keys).await?)
    }
}

fn with_artifact(blob: BlobEntry) -> Option<(String, ArtifactId)> {
    let id = artifact_of_blob(&blob.key)?;
    Some((blob.key, id))
}

fn sort(blobs: Vec<(String, ArtifactId)>, statuses: &HashMap<ArtifactId, ArtifactStatus>) -> Sorted {
    let mut sorted = Sorted::default();
    for (key, id) in blobs {
        match statuses.get(&id) {
            Some(ArtifactStatus::Available) => {}
            Some(ArtifactStatus::Deleted | ArtifactStatus::Expired) => sorted.deleted.push(key),
            None => sorted.orphans.push(key),
        }
    }
    sorted
}
