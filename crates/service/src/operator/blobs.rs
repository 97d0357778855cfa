//! The blobs of an installation: checks that they belong to its database, or makes them belong to it.

use std::time::Duration;

use auris_store::{Blobs, StoreError};

use super::{Operator, OperatorError, Result};
use crate::blob_owner::{self, AgreeError, BlobsRefusal};
use crate::jobs::CONFIRMATION;

/// How long a start waits for the blob store.
const START_TIMEOUT: Duration = Duration::from_secs(5);

impl Operator {
    /// As `claim_blobs`, for the start of a process. A blob store that does not answer does not prevent the start. Until
    /// its blobs have been checked, the process is not ready, writes and deletes no blobs, and runs no steps.
    pub async fn claim_blobs_at_start(&self, blobs: &Blobs) -> Result<()> {
        match tokio::time::timeout(START_TIMEOUT, self.claim_blobs(blobs)).await {
            Err(_) | Ok(Err(OperatorError::Store(StoreError::Unavailable(_)))) => {
                tracing::warn!("the blob store does not answer; starting without it");
                Ok(())
            }
            Ok(outcome) => outcome,
        }
    }

    /// Checks that the blobs belong to the database. The first start stores the same id in both. Fails with `Conflict` if
    /// the blobs belong to another database or are missing, and with `Store` if the database or the blob store does not
    /// answer.
    pub async fn claim_blobs(&self, blobs: &Blobs) -> Result<()> {
        match blob_owner::agree(&self.store, blobs, self.clock.now().timestamp()).await {
            Ok(_) => Ok(()),
            Err(AgreeError::Refused(refusal)) => Err(OperatorError::conflict(explain(&refusal))),
            Err(AgreeError::Store(error)) => Err(error.into()),
        }
    }

    /// Makes the blobs belong to the database, regardless of the id that they have, and returns the database's id.
    pub async fn adopt_blobs(&self, blobs: &Blobs) -> Result<String> {
        Ok(blob_owner::adopt(&self.store, blobs).await?)
    }

    /// For a day, allows the service to delete blobs that no row has named for a week, however many there are.
    pub async fn confirm_orphans(&self) -> Result<()> {
        Ok(self.store.record_task(CONFIRMATION, self.clock.now()).await?)
    }
}

fn explain(refusal: &BlobsRefusal) -> String {
    format!("{refusal}. Nothing was changed. {}", ways_out(refusal))
}

/// What an operator can do about blobs that are refused.
pub(super) fn ways_out(refusal: &BlobsRefusal) -> &'static str {
    match refusal {
        BlobsRefusal::Foreign { .. } => {
            "Point `database.url` at the database of these blobs, or `blobs.url` (or --data) at an empty place. To move to \
             another database, use `auris export` and `auris import`. Only if the database of these blobs is lost: `auris \
             doctor --adopt-blobs` makes them belong to this database, and those that it does not know are deleted after a \
             week. Then start the service again"
        }
        BlobsRefusal::Missing { .. } => {
            "Mount the disk with the blobs, or point `blobs.url` (or --data) at them. Only if they are lost: `auris doctor \
             --adopt-blobs` makes the database use this empty place, and requests for the lost content fail"
        }
    }
}
