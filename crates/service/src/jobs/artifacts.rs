//! Artifacts: their records, their deletion, and downloads through signed URLs.

use std::ops::Range;
use std::time::Duration;

use auris_domain::artifact::{Artifact, ArtifactStatus};
use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::ArtifactId;
use auris_domain::request::SignedAddress;
use auris_domain::wire::{self, JsonText};
use auris_store::{ArtifactDeletion, BlobStream};

use crate::error::Outcome;
use crate::{Caller, Service, ServiceError};

/// Where `/content` redirects a caller.
pub enum Address {
    /// A path of this service.
    Own(SignedAddress),
    /// A presigned URL of the object store.
    Store(String),
}

/// The bytes of an artifact, or a range of them.
pub struct Content {
    pub artifact: Artifact,
    pub blob: BlobStream,
}

impl Service {
    pub async fn read_artifact(&self, caller: &Caller, id: &ArtifactId) -> Outcome<JsonText> {
        let artifact = self.store().artifact(caller.project_id(), id).await?.ok_or_else(|| not_found(id))?;
        Ok(wire::artifact(&artifact))
    }

    /// Deletes the content and keeps the record. Deleting again changes nothing.
    pub async fn delete_artifact(&self, caller: &Caller, id: &ArtifactId) -> Outcome<()> {
        match self.store().delete_artifact(caller.project_id(), id).await? {
            ArtifactDeletion::NotFound => Err(not_found(id).into()),
            ArtifactDeletion::AlreadyGone => Ok(()),
            ArtifactDeletion::Deleted(blob) => Ok(self.blobs().delete(&[blob]).await?),
        }
    }

    /// The URL that `/content` redirects to, valid for a few minutes.
    pub async fn sign_artifact(&self, caller: &Caller, id: &ArtifactId) -> Outcome<Address> {
        let artifact = self.owned_artifact(caller, id).await?;
        self.check_whole(&artifact).await?;
        let seconds = self.settings().signed_url_seconds;
        let lifetime = Duration::from_secs(seconds.unsigned_abs());
        let name = file_name(&artifact);
        if let Some(address) = self.blobs().address(&artifact.blob_key, &name, lifetime).await? {
            return Ok(Address::Store(address));
        }
        let expires = self.clock().now().timestamp().0 + seconds;
        let signature = self.master_keys().sign(&SignedAddress::signed_text(id, expires));
        Ok(Address::Own(SignedAddress { artifact: id.clone(), expires, signature }))
    }

    /// An artifact of the caller's project whose content is available.
    pub(crate) async fn owned_artifact(&self, caller: &Caller, id: &ArtifactId) -> Outcome<Artifact> {
        let artifact = self.store().artifact(caller.project_id(), id).await?.ok_or_else(|| not_found(id))?;
        check_available(&artifact)?;
        Ok(artifact)
    }

    /// The artifact of a signed URL, after checking its signature and expiry.
    pub async fn open_signed(&self, address: &SignedAddress) -> Outcome<Artifact> {
        let signed = SignedAddress::signed_text(&address.artifact, address.expires);
        if !self.master_keys().verify(&signed, &address.signature) {
            let message = "This URL was not signed by this service.";
            return Err(ApiError::new(ErrorCode::SignatureInvalid, message).into());
        }
        if address.expires <= self.clock().now().timestamp().0 {
            let message = "This URL has expired; request `/content` again.";
            return Err(ApiError::new(ErrorCode::SignatureExpired, message).into());
        }
        let artifact = self.store().artifact_by_id(&address.artifact).await?;
        let artifact = artifact.ok_or_else(|| not_found(&address.artifact))?;
        check_available(&artifact)?;
        Ok(artifact)
    }

    /// The bytes of an artifact, or the given range of them.
    pub async fn read_content(&self, artifact: Artifact, range: Option<Range<u64>>) -> Outcome<Content> {
        self.check_whole(&artifact).await?;
        match self.blobs().get_stream(&artifact.blob_key, range).await? {
            Some(blob) => Ok(Content { artifact, blob }),
            None => Err(gone(&artifact).into()),
        }
    }

    async fn check_whole(&self, artifact: &Artifact) -> Outcome<()> {
        let size = self.blobs().size(&artifact.blob_key).await?;
        match self.is_whole(artifact, size).await? {
            true => Ok(()),
            false => Err(gone(artifact).into()),
        }
    }

    /// Whether the blob of an available artifact is complete; false if its content was deleted in the meantime. Fails if
    /// the blob is missing or has another size: the storage has lost content.
    pub(crate) async fn is_whole(&self, artifact: &Artifact, size: Option<u64>) -> Outcome<bool> {
        if size == Some(artifact.bytes) {
            return Ok(true);
        }
        match self.store().artifact_by_id(&artifact.id).await? {
            Some(now) if now.status == ArtifactStatus::Available => Err(corrupt(artifact, size)),
            Some(_) | None => Ok(false),
        }
    }
}

/// The file name of a download.
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

fn corrupt(artifact: &Artifact, size: Option<u64>) -> ServiceError {
    let Artifact { id, job_id, project_id, bytes, .. } = artifact;
    let found = size.map_or("is missing".to_owned(), |size| format!("has {size} bytes instead of {bytes}"));
    ServiceError::Internal(format!(
        "storage corruption: the blob of the artifact {id} of the job {job_id} in the project {project_id} {found}; \
         `auris doctor` lists all such artifacts"
    ))
}

fn not_found(id: &ArtifactId) -> ApiError {
    ApiError::new(ErrorCode::ArtifactNotFound, format!("There is no artifact `{id}` in this project."))
        .at("artifactId")
}
