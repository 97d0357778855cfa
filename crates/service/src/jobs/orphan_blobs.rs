//! Orphan blobs: those that no row names, left by a crash between the two writes. They are deleted only after a week, so
//! that a mistake, such as a database that was restored from a backup, can be repaired. Crashes leave few: many orphans
//! are deleted only after an operator has confirmed that the database is the right one.

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

/// Up to this number of orphans are always deleted.
const FEW_ORPHANS: usize = 100;
/// More are deleted if they are at most one in this number of blobs.
const SHARE_OF_ORPHANS: usize = 100;
/// Maximum number of orphans that one search deletes, because their keys are kept in memory.
const DELETED_AT_ONCE: usize = 10_000;
/// The task that records when an operator has confirmed that many orphans may be deleted.
pub(crate) const CONFIRMATION: &str = "orphans.confirmed";
/// How long the confirmation holds. Searches come once an hour.
const CONFIRMED_MS: i64 = 86_400_000;

/// What a search through all blobs has found.
#[derive(Default)]
struct Found {
    /// Blobs with a row.
    known: usize,
    /// Orphans that are due to be deleted.
    due: usize,
    /// The first of them.
    due_keys: Vec<String>,
}

impl Found {
    fn add_due(&mut self, keys: Vec<String>) {
        self.due += keys.len();
        let left = DELETED_AT_ONCE - self.due_keys.len();
        self.due_keys.extend(keys.into_iter().take(left));
    }

    /// Whether there are more orphans than crashes leave. To a copy of the database that uses the blobs of the original,
    /// all blobs that are newer than the copy are orphans.
    fn are_too_many(&self) -> bool {
        self.due > FEW_ORPHANS.max(self.known / SHARE_OF_ORPHANS)
    }
}

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
        let mut found = Found::default();
        let mut batches = self.blobs().list(older_than).try_chunks(BATCH as usize);
        while let Some(batch) = batches.try_next().await.map_err(|error| ServiceError::from(error.1))? {
            let artifacts: Vec<(String, ArtifactId)> = batch.into_iter().filter_map(with_artifact).collect();
            let ids: Vec<ArtifactId> = artifacts.iter().map(|(_, id)| id.clone()).collect();
            let statuses = self.store().artifact_statuses(&ids).await?;
            let sorted = sort(artifacts, &statuses);
            self.remove(&sorted.deleted, "removing blobs whose content was deleted").await?;
            found.known += ids.len() - sorted.orphans.len();
            found.add_due(self.quarantine(&sorted.orphans, now).await?);
        }
        self.delete_orphans(found, now).await?;
        Ok(self.store().forget_unseen_orphans(now).await?)
    }

    /// Remembers orphans, and returns those that were found a week ago for the first time.
    async fn quarantine(&self, orphans: &[String], now: Millis) -> Outcome<Vec<String>> {
        if orphans.is_empty() {
            return Ok(Vec::new());
        }
        self.store().remember_orphans(orphans, now).await?;
        Ok(self.store().orphans_found_before(orphans, now.plus_ms(-QUARANTINE_MS)).await?)
    }

    async fn delete_orphans(&self, found: Found, now: Millis) -> Outcome<()> {
        if found.are_too_many() && !self.are_orphans_confirmed(now).await? {
            tracing::error!(
                count = found.due,
                known = found.known,
                "many blobs have no row in the database, more than crashes leave, so none of them is deleted. If this is \
                 a copy of the database, point `blobs.url` (or --data) at another place; if not, run `auris doctor \
                 --delete-orphans`"
            );
            return Ok(());
        }
        for keys in found.due_keys.chunks(BATCH as usize) {
            self.remove(keys, "removing blobs that no row has named for a week").await?;
            self.store().forget_orphans(keys).await?;
        }
        Ok(())
    }

    async fn are_orphans_confirmed(&self, now: Millis) -> Outcome<bool> {
        let confirmed = self.store().task_last_done(CONFIRMATION).await?;
        Ok(confirmed.is_some_and(|confirmed| now.since(confirmed) < CONFIRMED_MS))
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
