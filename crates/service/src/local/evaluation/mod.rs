//! Evaluates speech models on a folder of recordings with reference texts.

mod folder;
mod model_choice;
mod reference_files;
mod run;
mod speakers;
mod warm_up;

use std::path::PathBuf;

use auris_evaluation::ReferenceError;

use super::LocalError;
use crate::engine_tasks::AudioPosition;

/// What to evaluate, and on which recordings.
#[derive(Debug, Clone, Default)]
pub struct EvaluationRequest {
    /// Recordings with references.
    pub folder: PathBuf,
    /// The models; `auto` and all installed speech models if it is empty.
    pub models: Vec<String>,
    /// The language of recordings for which neither the manifest nor a folder names one.
    pub language: Option<String>,
    /// Whether speakers are compared where a reference has them.
    pub speakers: bool,
    /// Texts of other programs.
    pub transcripts: Vec<GivenTranscripts>,
}

/// A folder with texts of another program, under the names of the recordings.
#[derive(Debug, Clone)]
pub struct GivenTranscripts {
    pub name: String,
    pub folder: PathBuf,
}

/// What happens during an evaluation.
#[derive(Debug, Clone, Copy)]
pub enum EvaluationEvent<'a> {
    Position {
        model: &'a str,
        file: &'a str,
        position: AudioPosition,
    },
    /// A recording could not be transcribed. The evaluation goes on.
    Failed {
        model: &'a str,
        file: &'a str,
        reason: &'a str,
    },
}

/// Why nothing was evaluated.
#[derive(Debug, thiserror::Error)]
pub enum EvaluationError {
    #[error(transparent)]
    Local(#[from] LocalError),
    #[error("cannot read the folder `{}`: {error}", path.display())]
    Folder { path: PathBuf, error: std::io::Error },
    #[error("`{}`: {error}", path.display())]
    Manifest { path: PathBuf, error: ReferenceError },
    #[error("there are no recordings in `{}`; put audio files there, each with its text beside it", .0.display())]
    NoRecordings(PathBuf),
    #[error(
        "no recording in `{}` has a reference; put what is said in `{example}` into `{stem}.txt` (or `.srt`, `.vtt`, `.stm`, \
         `.ctm`, and the speakers into `.rttm`), or list texts in `manifest.jsonl`",
        folder.display()
    )]
    NoReferences { folder: PathBuf, example: String, stem: String },
}

type Result<T> = std::result::Result<T, EvaluationError>;
