//! Retained content: what it is for, and whether it is still there.

use serde::Serialize;

use crate::id::{ArtifactId, JobId, ProjectId};
use crate::time::Timestamp;

macro_rules! purposes {
    ($($name:ident = $text:literal, $media:literal;)*) => {
        /// What an artifact is for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Purpose { $($name,)* }

        impl Purpose {
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            pub fn media_type(self) -> &'static str {
                match self { $(Self::$name => $media,)* }
            }

            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$name),)* _ => None }
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

/// Whether the bytes can still be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactStatus {
    Available,
    Deleted,
    Expired,
}

impl ArtifactStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Available => "available",
            Self::Deleted => "deleted",
            Self::Expired => "expired",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Available, Self::Deleted, Self::Expired].into_iter().find(|status| status.as_str() == text)
    }
}

/// The record of one piece of retained content.
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
    /// Where the blob store keeps the bytes.
    pub blob_key: String,
}
