//! Which installation the blobs belong to. The database and the blob store contain the same id, so that a process on the
//! wrong database does not take the blobs of another installation for orphans.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use auris_domain::artifact::artifact_of_blob;
use auris_domain::id::ArtifactId;
use auris_domain::time::{Timestamp, Uptime};
use auris_store::{Blobs, Store, StoreError};
use parking_lot::Mutex;

/// How many blobs are looked up in the database if there is no id yet. A bucket lists as many in one answer.
const LISTED: usize = 1_000;
/// How many of the newest artifacts are looked up in the blob store.
const RECENT: u32 = 100;
/// For how many milliseconds a check is trusted. In a bucket, each check is a request.
const VALID_MS: i64 = 5_000;

/// Whose blobs they are, as far as can be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ownership {
    /// The database and the blobs have this id.
    Agreed(String),
    /// At least one of them has no id, and nothing speaks against the same one for both. It is the id of the blobs, if
    /// they have one.
    Open(Option<String>),
    Refused(BlobsRefusal),
}

/// Why a database cannot be used with the blobs that were found. Each variant has the ids of both, where they exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BlobsRefusal {
    #[error(
        "these blobs belong to another database (installation id of the blobs: {}; of this database: {})",
        .blobs.as_deref().unwrap_or("none, but the database knows none of those compared"),
        .database.as_deref().unwrap_or("none")
    )]
    Foreign { database: Option<String>, blobs: Option<String> },
    /// As with a disk that is not mounted.
    #[error("there are no blobs here, but the database has stored some (installation id: {database})")]
    Missing { database: String },
}

/// Why the database and the blobs could not agree on an id.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AgreeError {
    #[error(transparent)]
    Refused(#[from] BlobsRefusal),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What a process knows about its blobs.
pub(crate) struct BlobOwner {
    /// Artifacts that are newer than the process prove nothing: it may have stored them beside the blobs of another
    /// installation.
    started_at: Timestamp,
    /// The id that the database and the blobs agreed on.
    agreed: OnceLock<String>,
    /// Set when the blobs were found to belong to another database. From then on only equal ids count, which an operator
    /// brings about by adopting the blobs, and not rows or blobs that appear meanwhile.
    is_foreign: AtomicBool,
    last_check: Mutex<Option<Check>>,
}

/// When the blobs were checked, and what was wrong with them.
#[derive(Debug, Clone)]
struct Check {
    at: Uptime,
    fault: Option<String>,
}

impl BlobOwner {
    pub(crate) fn new(started_at: Timestamp) -> Self {
        let is_foreign = AtomicBool::new(false);
        Self { started_at, agreed: OnceLock::new(), is_foreign, last_check: Mutex::default() }
    }

    /// Whether the blobs belong to the database, or did a few seconds ago.
    pub(crate) async fn were_ours(
        &self,
        store: &Store,
        blobs: &Blobs,
        now: Uptime,
    ) -> Result<bool, StoreError> {
        let last_check = self.last_check.lock().clone();
        match last_check.filter(|last| last.fault.is_none() && now.since(last.at) < VALID_MS) {
            Some(_) => Ok(true),
            None => self.is_ours(store, blobs, now).await,
        }
    }

    /// Whether the blobs belong to the database. Once they did, the same id must be there: it disappears if a disk is
    /// unmounted, and changes if another installation adopts the blobs.
    pub(crate) async fn is_ours(
        &self,
        store: &Store,
        blobs: &Blobs,
        now: Uptime,
    ) -> Result<bool, StoreError> {
        let fault = self.fault(store, blobs).await?;
        let is_ours = fault.is_none();
        let check = Check { at: now, fault };
        let last_check = self.last_check.lock().replace(check.clone());
        log_change(last_check.as_ref(), &check);
        Ok(is_ours)
    }

    /// Why the blobs cannot be used; `None` if they can.
    async fn fault(&self, store: &Store, blobs: &Blobs) -> Result<Option<String>, StoreError> {
        if let Some(id) = self.agreed.get() {
            let is_there = blobs.owner().await?.as_ref() == Some(id);
            return Ok((!is_there).then(|| format!("the installation id {id} is no longer beside the blobs")));
        }
        let agreed = match self.is_foreign.load(Ordering::SeqCst) {
            true => equal_ids(store, blobs).await,
            false => agree(store, blobs, self.started_at).await,
        };
        match agreed {
            Ok(id) => {
                // Another task may have set the same id.
                let _ = self.agreed.set(id);
                Ok(None)
            }
            Err(AgreeError::Refused(refusal)) => {
                if matches!(refusal, BlobsRefusal::Foreign { .. }) {
                    self.is_foreign.store(true, Ordering::SeqCst);
                }
                Ok(Some(refusal.to_string()))
            }
            Err(AgreeError::Store(error)) => Err(error),
        }
    }
}

fn log_change(before: Option<&Check>, now: &Check) {
    let was_at_fault = before.is_some_and(|check| check.fault.is_some());
    match &now.fault {
        Some(fault) if before.and_then(|check| check.fault.as_ref()) != Some(fault) => {
            tracing::error!(fault, "the blobs are not used: no blob is written and no step is run");
        }
        Some(_) => {}
        None if was_at_fault => tracing::info!("the blobs belong to the database and are used again"),
        None => {}
    }
}

/// The id of the database and the blobs, if both have the same one.
async fn equal_ids(store: &Store, blobs: &Blobs) -> Result<String, AgreeError> {
    let (blobs, database) = (blobs.owner().await?, store.installation().await?);
    match blobs {
        Some(id) if database.as_ref() == Some(&id) => Ok(id),
        blobs => Err(BlobsRefusal::Foreign { database, blobs }.into()),
    }
}

/// Looks at the ids, and at some blobs and rows if an id is missing; artifacts count only if they were created before
/// `started_at`. Changes nothing.
pub(crate) async fn inspect(
    store: &Store,
    blobs: &Blobs,
    started_at: Timestamp,
) -> Result<Ownership, StoreError> {
    // In this order: a node that starts at the same time writes its id to the database first.
    let of_blobs = blobs.owner().await?;
    let of_database = store.installation().await?;
    let is_open = match (&of_blobs, &of_database) {
        (Some(one), Some(other)) if one == other => return Ok(Ownership::Agreed(one.clone())),
        (Some(_), Some(_)) => false,
        (Some(_), None) => knows_some(store, blobs, started_at).await? == Some(true),
        (None, _) => match (knows_some(store, blobs, started_at).await?, &of_database) {
            (None, Some(id)) if has_stored_blobs(store).await? => {
                return Ok(Ownership::Refused(BlobsRefusal::Missing { database: id.clone() }));
            }
            (known, _) => known != Some(false),
        },
    };
    Ok(match is_open {
        true => Ownership::Open(of_blobs),
        false => Ownership::Refused(BlobsRefusal::Foreign { database: of_database, blobs: of_blobs }),
    })
}

/// Makes sure that both have the same id, and returns it.
pub(crate) async fn agree(store: &Store, blobs: &Blobs, started_at: Timestamp) -> Result<String, AgreeError> {
    let found = match inspect(store, blobs, started_at).await? {
        // Another node may have started in the meantime and stored the id and its first blob.
        Ownership::Refused(_) => inspect(store, blobs, started_at).await?,
        found => found,
    };
    let of_blobs = match found {
        Ownership::Agreed(id) => return Ok(id),
        Ownership::Refused(refusal) => return Err(refusal.into()),
        Ownership::Open(of_blobs) => of_blobs,
    };
    let id = store.set_installation_once(&of_blobs.clone().unwrap_or_else(new_id)).await?;
    if of_blobs.as_ref() != Some(&id) {
        blobs.set_owner(&id).await?;
    }
    Ok(id)
}

/// Makes the blobs belong to the database, regardless of the id that they have.
pub(crate) async fn adopt(store: &Store, blobs: &Blobs) -> Result<String, StoreError> {
    let id = store.set_installation_once(&new_id()).await?;
    blobs.set_owner(&id).await?;
    Ok(id)
}

/// Whether the database knows at least one of the blobs; `None` if there are no blobs. Compares a bounded number, because
/// there can be millions of both.
async fn knows_some(store: &Store, blobs: &Blobs, started_at: Timestamp) -> Result<Option<bool>, StoreError> {
    let listed = blobs.list_first(LISTED).await?;
    let ids: Vec<ArtifactId> = listed.iter().filter_map(|blob| artifact_of_blob(&blob.key)).collect();
    if ids.is_empty() {
        return Ok(None);
    }
    if store.knows_artifact(&ids, started_at).await? {
        return Ok(Some(true));
    }
    for key in store.recent_blob_keys(RECENT, started_at).await? {
        if blobs.size(&key).await?.is_some() {
            return Ok(Some(true));
        }
    }
    Ok(Some(false))
}

/// Whether there should be blobs.
async fn has_stored_blobs(store: &Store) -> Result<bool, StoreError> {
    Ok(!store.available_artifacts(None, 1).await?.is_empty())
}

fn new_id() -> String {
    format!("{:032x}", rand::random::<u128>())
}
