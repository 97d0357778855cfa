//! The blobs of an installation: whether they belong to its database, and how they come to.

use auris_store::Blobs;

use super::{Operator, OperatorError, Result};
use crate::blob_owner::{self, AgreeError, ForeignBlobs};

impl Operator {
    /// Checks that the blobs belong to the database. The first start stores the same id in both. Fails with `Conflict` if
    /// the blobs belong to another database, and with `Store` if one of both does not answer.
    pub async fn claim_blobs(&self, blobs: &Blobs) -> Result<()> {
        match blob_owner::agree(&self.store, blobs).await {
            Ok(_) => Ok(()),
            Err(AgreeError::Foreign(foreign)) => Err(OperatorError::conflict(refusal(&foreign))),
            Err(AgreeError::Store(error)) => Err(error.into()),
        }
    }

    /// Makes the blobs belong to the database, regardless of the id that they have, and returns the database's id.
    pub async fn adopt_blobs(&self, blobs: &Blobs) -> Result<String> {
        Ok(blob_owner::adopt(&self.store, blobs).await?)
    }
}

fn refusal(foreign: &ForeignBlobs) -> String {
    format!("{foreign}. Nothing was changed. {}", ways_out())
}

/// What an operator can do about blobs of another installation.
pub(super) fn ways_out() -> &'static str {
    "Point `database.url` at the database of these blobs, or `blobs.url` (or --data) at an empty place. To move to another \
     database, use `auris export` and `auris import`. Only if the database of these blobs is lost: `auris doctor \
     --adopt-blobs` makes them belong to this database, and those that it does not know are deleted after a week"
}
