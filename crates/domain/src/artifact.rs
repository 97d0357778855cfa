//! Artifacts: stored content of a job, its purpose and its status.

use serde::Serialize;
use strum::{EnumString, IntoStaticStr};

use crate::id::{ArtifactId, JobId, ProjectId};
use crate::time::{Millis, Timestamp};

macro_rules! purposes {
    ($($name:ident = $text:literal, $media:literal;)*) => {
        /// What an artifact is for, in the order in which a result lists them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString)]
        pub enum Purpose { $(#[strum(serialize = $text)] $name,)* }

        impl Purpose {
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            pub fn media_type(self) -> &'static str {
                match self { $(Self::$name => $media,)* }
            }
        }
    };
}

purposes! {
    InputAudio = "input.audio", "application/octet-stream";
    InputTranscript = "input.transcript", "application/json";
    TranscriptJson = "transcript.json", "application/json";
    TranscriptTxt = "transcript.txt", "text/plain; charset=utf-8";
    TranscriptSrt = "transcript.srt", "application/x-subrip";
    TranscriptVtt = "transcript.vtt", "text/vtt; charset=utf-8";
    AnalysisJson = "analysis.json", "application/json";
}

/// Whether the content is still available.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ArtifactStatus {
    Available,
    Deleted,
    Expired,
}

impl ArtifactStatus {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The project and job that own content, and when it expires.
#[derive(Debug, Clone, Copy)]
pub struct ArtifactOwner<'a> {
    pub project: &'a ProjectId,
    pub job: &'a JobId,
    pub expires_at: Timestamp,
}

impl ArtifactOwner<'_> {
    /// The record of content that is about to be stored.
    pub fn artifact(&self, purpose: Purpose, bytes: u64, now: Millis) -> Artifact {
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

/// The key of an artifact in the blob store: `project/job/artifact`. One folder for each job lets an operator find all
/// content of a job.
fn blob_key(project: &ProjectId, job: &JobId, artifact: &ArtifactId) -> String {
    format!("{project}/{job}/{artifact}")
}

/// The artifact of a blob. `None` if the key was not made by `ArtifactOwner::artifact`.
pub fn artifact_of_blob(key: &str) -> Option<ArtifactId> {
    let mut parts = key.split('/');
    parts.next()?.parse::<ProjectId>().ok()?;
    parts.next()?.parse::<JobId>().ok()?;
    let artifact = parts.next()?.parse().ok()?;
    // A longer key is a blob of another installation, whose prefix begins with this one's.
    parts.next().is_none().then_some(artifact)
}

/// The record of one stored file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    pub id: ArtifactId,
    pub project_id: ProjectId,
    pub job_id: JobId,
    pub purpose: Purpose,
    pub media_type: String,
    pub bytes: u64,
    pub status: ArtifactStatus,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    /// The key of the bytes in the blob store.
    pub blob_key: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_artifact_can_be_read_from_its_blob_key() {
        let now = Millis(1_763_200_000_000);
        let owner = ArtifactOwner {
            project: &ProjectId::generate(now),
            job: &JobId::generate(now),
            expires_at: now.timestamp(),
        };
        let artifact = owner.artifact(Purpose::InputAudio, 1, now);
        assert_eq!(artifact_of_blob(&artifact.blob_key), Some(artifact.id.clone()));
        for key in ["lost+found", artifact.id.as_str(), &format!("{}/{}", artifact.job_id, artifact.id)] {
            assert_eq!(artifact_of_blob(key), None, "{key}");
        }
        assert_eq!(artifact_of_blob(&format!("other/{}", artifact.blob_key)), None);
    }
}
