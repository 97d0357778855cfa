//! The engines of this process: the registry of models, remote and fake engines, and what callers need of the others.
//!
//! Everything here blocks; the async side of the program awaits the result on another thread. A model runs in this
//! process, on a server reached over HTTP, or is the deterministic fake that tests use.

mod engines;
mod fake;
mod remote;
pub mod speed;

pub use auris_audio::{self as audio, AudioInfo, AudioSource};
pub use auris_engine_core::diarization::DiarizedAudio;
pub use auris_engine_core::speech::Transcription;
pub use auris_engine_core::text::{self, TaskRequest, TaskSource, TextAnswer, TextRequest, TextWork};
pub use auris_engine_core::{
    AudioProblem, CallContext, Diarizer, EngineError, Ignore, LoadedModel, Priority, ProgressSink,
    SpeechSink, TextModel, TextSink, Transcriber, low_priority, round_to_thousandths,
};
pub use auris_kernels::{level as kernel_level, level_note as kernel_level_note};
pub use auris_models::{
    Catalog, CatalogError, CatalogModel, EngineKind, InstallError, Installer, LocalCatalog, ModelFile,
    PullSink, catalog, install,
};
pub use engines::{EngineSettings, Engines, Tuning};
