//! Artifacts: their records, their deletion, and their bytes behind a signed address.

use std::ops::Range;
use std::time::Duration;

use auris_domain::artifact::{Artifact, ArtifactStatus, Purpose};
use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::{ArtifactId, JobId, ProjectId};
use auris_domain::time::{Millis, Timestamp};
use auris_store::{BlobStream, blob_key};
use serde_json::{Value, json};

use crate::error::Outcome;
use crate::{Caller, Service};

/// Whose content an artifact is, and until when it is kept.
pub(crate) struct Owner<'a> {
    pub project: &'a ProjectId,
    pub job: &'a JobId,
    pub expires_at: Timestamp,
}

impl Owner<'_> {
    /// The record of content that is about to be kept.
    pub(crate) fn artifact(&self, purpose: Purpose, bytes: u64, now: Millis) -> Artifact {
        let id = ArtifactId::generate(now);
        Artifact {
            project_id: self.project.clone(),
            job_id: self.job.clone(),
            purpose,
            media_type: purpose.media_type().into(),
            bytes,
            status: ArtifactStatus::Available,
            created_at: now.timestamp(),
            expires_at: self.expires_at,
            blob_key: blob_key(self.project, self.job, &id),
            id,
        }
    }
}

/// Where `/content` sends a caller.
pub enum Address {
    /// A path of this service.
    Own(SignedAddress),
    /// The object store's own.
    Store(String),
}

/// What a signed address carries.
#[derive(Debug, Clone)]
pub struct SignedAddress {
    pub artifact: ArtifactId,
    pub expires: i64,
    pub signature: String,
}

/// The bytes of an artifact, or a range of them, on their way out.
pub struct Content {
    pub artifact: Artifact,
    pub blob: BlobStream,
}

impl Service {
    pub async fn read_artifact(&self, caller: &Caller, id: &ArtifactId) -> Outcome<Value> {
        let artifact = self.store.artifact(caller.project_id(), id).await?.ok_or_else(|| not_found(id))?;
        Ok(wire(&artifact))
    }

    /// Deletes the content; the record stays. Deleting twice is fine.
    pub async fn delete_artifact(&self, caller: &Caller, id: &ArtifactId) -> Outcome<()> {
        let now = self.clock.now();
        match self.store.delete_artifact(caller.project_id(), id, now).await? {
            None => Err(not_found(id).into()),
            Some(None) => Ok(()),
            Some(Some(blob)) => Ok(self.blobs.delete(&[blob]).await?),
        }
    }

    /// The address that `/content` redirects to, valid for a few minutes.
    pub async fn sign_artifact(&self, caller: &Caller, id: &ArtifactId) -> Outcome<Address> {
        let artifact = self.store.artifact(caller.project_id(), id).await?.ok_or_else(|| not_found(id))?;
        check_available(&artifact)?;
        let seconds = self.settings.signed_url_seconds;
        let lifetime = Duration::from_secs(seconds.unsigned_abs());
        let name = file_name(&artifact);
        if let Some(address) = self.blobs.address(&artifact.blob_key, &name, lifetime).await? {
            return Ok(Address::Store(address));
        }
        let expires = self.clock.now().timestamp().0 + seconds;
        let signature = self.master_key.sign(&signed_text(id, expires));
        Ok(Address::Own(SignedAddress { artifact: id.clone(), expires, signature }))
    }

    /// The size of what a signed address gives, after its signature and expiry were checked.
    pub async fn open_signed(&self, address: &SignedAddress) -> Outcome<Artifact> {
        if !self.master_key.verify(&signed_text(&address.artifact, address.expires), &address.signature) {
            let message = "The address is not one that this service signed.";
            return Err(ApiError::new(ErrorCode::SignatureInvalid, message).into());
        }
        if address.expires <= self.clock.now().timestamp().0 {
            let message = "The address has expired; ask for `/content` again.";
            return Err(ApiError::new(ErrorCode::SignatureExpired, message).into());
        }
        let artifact = self.store.artifact_by_id(&address.artifact).await?;
        let artifact = artifact.ok_or_else(|| not_found(&address.artifact))?;
        check_available(&artifact)?;
        Ok(artifact)
    }

    pub async fn read_content(&self, artifact: Artifact, range: Option<Range<u64>>) -> Outcome<Content> {
        match self.blobs.get_stream(&artifact.blob_key, range).await? {
            Some(blob) => Ok(Content { artifact, blob }),
            None => Err(gone(&artifact).into()),
        }
    }
}

/// What a download is saved as.
pub fn file_name(artifact: &Artifact) -> String {
    let extension = match artifact.purpose.as_str().rsplit('.').next() {
        Some("json" | "transcript") => "json",
        Some("txt") => "txt",
        Some("srt") => "srt",
        Some("vtt") => "vtt",
        Some(_) | None => "bin",
    };
    format!("{}.{extension}", artifact.id)
}

fn signed_text(id: &ArtifactId, expires: i64) -> String {
    format!("artifact\n{id}\n{expires}")
}

fn wire(artifact: &Artifact) -> Value {
    json!({
        "id": artifact.id,
        "object": "artifact",
        "purpose": artifact.purpose.as_str(),
        "media_type": artifact.media_type,
        "bytes": artifact.bytes.to_string(),
        "status": artifact.status,
        "created_at": artifact.created_at,
        "expires_at": artifact.expires_at,
    })
}

fn check_available(artifact: &Artifact) -> Result<(), ApiError> {
    match artifact.status {
        ArtifactStatus::Available => Ok(()),
        ArtifactStatus::Deleted | ArtifactStatus::Expired => Err(gone(artifact)),
    }
}

fn gone(artifact: &Artifact) -> ApiError {
    let message = format!("The content of `{}` was deleted or has expired.", artifact.id);
    ApiError::new(ErrorCode::ArtifactDeleted, message).at("artifactId")
}

fn not_found(id: &ArtifactId) -> ApiError {
    ApiError::new(ErrorCode::ArtifactNotFound, format!("There is no artifact `{id}` in this project."))
        .at("artifactId")
}
