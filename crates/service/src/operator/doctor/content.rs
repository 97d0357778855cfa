//! The stored content: whether the blobs belong to the database, and whether every artifact still has its blob.

use auris_domain::artifact::{Artifact, ArtifactStatus};
use auris_domain::time::Timestamp;
use auris_store::{Blobs, Store, StoreError};
use futures::{StreamExt, TryStreamExt};

use super::super::blobs::ways_out;
use super::{Finding, Health, Installation};
use crate::blob_owner::{self, Ownership};

const OWNER_CHECK: &str = "installation id";
const CONTENT_CHECK: &str = "stored content";
/// Maximum number of artifacts in memory at a time.
const PAGE: u32 = 500;
/// Maximum number of concurrent requests to the blob store.
const REQUESTS: usize = 16;
/// Maximum number of damaged artifacts that are named.
const NAMED: usize = 20;

/// What was found in the blob store.
#[derive(Default)]
struct Damage {
    checked: u64,
    damaged: u64,
    /// The first damaged artifacts, each with what is wrong.
    named: Vec<String>,
}

/// Findings about the content; none if the database or the blob store could not be opened, or is not migrated yet. Blobs
/// of another installation are not compared.
pub(super) async fn check(installation: &Installation) -> Vec<Finding> {
    let (Ok(store), Ok(blobs)) = (&installation.database, &installation.blobs) else { return Vec::new() };
    match store.schema_version().await {
        Ok(schema) if schema >= Store::known_schema() => {}
        Ok(_) | Err(_) => return Vec::new(),
    }
    let owner = owner(store, blobs, installation.clock.now().timestamp()).await;
    match owner.state {
        Health::Problem => vec![owner],
        Health::Ok | Health::Warning => vec![owner, content(store, blobs).await],
    }
}

async fn owner(store: &Store, blobs: &Blobs, now: Timestamp) -> Finding {
    match blob_owner::inspect(store, blobs, now).await {
        Ok(Ownership::Agreed(id)) => {
            Finding::ok(OWNER_CHECK, format!("{id}, in the database and the blob store"))
        }
        Ok(Ownership::Open(_)) => Finding::ok(OWNER_CHECK, "not stored yet; the next start stores it"),
        Ok(Ownership::Refused(refusal)) => {
            Finding::problem(OWNER_CHECK, refusal.to_string(), ways_out(&refusal))
        }
        Err(error) => {
            Finding::failed(OWNER_CHECK, &error, "see the findings about the database and the blobs")
        }
    }
}

async fn content(store: &Store, blobs: &Blobs) -> Finding {
    match damage(store, blobs).await {
        Ok(Damage { checked, damaged: 0, .. }) => {
            Finding::ok(CONTENT_CHECK, format!("{checked} artifacts, all complete"))
        }
        Ok(Damage { checked, damaged, named }) => Finding::problem(
            CONTENT_CHECK,
            format!("{damaged} of {checked} artifacts are damaged: {}", named.join("; ")),
            "restore these blobs from a backup; until then, requests for them fail with 500",
        ),
        Err(error) => {
            Finding::failed(CONTENT_CHECK, &error, "see the findings about the database and the blobs")
        }
    }
}

/// Compares the size of every blob with its record, page by page.
async fn damage(store: &Store, blobs: &Blobs) -> Result<Damage, StoreError> {
    let mut found = Damage::default();
    let mut last = None;
    loop {
        let page = store.available_artifacts(last.as_ref(), PAGE).await?;
        let Some(end) = page.last() else { return Ok(found) };
        last = Some(end.id.clone());
        found.checked += page.len() as u64;
        let checks = page.into_iter().map(|artifact| examine(store, blobs, artifact));
        let mut checks = futures::stream::iter(checks).buffer_unordered(REQUESTS);
        while let Some(damaged) = checks.try_next().await? {
            found.add(damaged);
        }
    }
}

impl Damage {
    fn add(&mut self, damaged: Option<String>) {
        let Some(text) = damaged else { return };
        self.damaged += 1;
        if self.named.len() < NAMED {
            self.named.push(text);
        }
    }
}

/// What is wrong with an artifact; `None` if its blob is complete, or was deleted in the meantime.
async fn examine(store: &Store, blobs: &Blobs, artifact: Artifact) -> Result<Option<String>, StoreError> {
    let size = blobs.size(&artifact.blob_key).await?;
    if size == Some(artifact.bytes) {
        return Ok(None);
    }
    let Artifact { id, job_id, bytes, .. } = artifact;
    let now = store.artifact_by_id(&id).await?;
    let is_available = now.is_some_and(|now| now.status == ArtifactStatus::Available);
    let wrong = size.map_or("is missing".to_owned(), |size| format!("has {size} bytes instead of {bytes}"));
    Ok(is_available.then(|| format!("{id} of {job_id} {wrong}")))
}
