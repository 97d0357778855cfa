//! An artifact in the API.

use serde::Serialize;

use super::JsonText;
use crate::artifact::{Artifact, ArtifactStatus};
use crate::id::ArtifactId;
use crate::time::Timestamp;

#[derive(Serialize)]
pub(super) struct ArtifactWire<'a> {
    id: &'a ArtifactId,
    object: &'static str,
    purpose: &'static str,
    media_type: &'a str,
    /// A string, because JavaScript's numbers lose digits of large integers.
    bytes: String,
    status: ArtifactStatus,
    created_at: Timestamp,
    expires_at: Timestamp,
}

impl<'a> ArtifactWire<'a> {
    pub(super) fn new(artifact: &'a Artifact) -> Self {
        Self {
            id: &artifact.id,
            object: "artifact",
            purpose: artifact.purpose.as_str(),
            media_type: &artifact.media_type,
            bytes: artifact.bytes.to_string(),
            status: artifact.status,
            created_at: artifact.created_at,
            expires_at: artifact.expires_at,
        }
    }
}

pub fn artifact(artifact: &Artifact) -> JsonText {
    JsonText::of(&ArtifactWire::new(artifact))
}
