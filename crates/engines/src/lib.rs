//! What computes: audio decoding, speech, diarization and text models, behind three blocking traits.
//!
//! Everything here blocks and runs on threads of its own; the async side awaits the answer. A model may be a net in
//! this process, a server reached over HTTP, or the deterministic fake that tests use.

pub mod audio;
pub mod catalog;
mod context;
mod diarize;
mod engines;
mod error;
mod fair_queue;
mod fake;
pub mod install;
mod lifecycle;
mod remote;
mod scheduler;
pub mod speech;
pub mod text;

pub use audio::{AudioInfo, AudioSource};
pub use catalog::{Catalog, CatalogError, CatalogModel, EngineKind, ModelFile};
pub use context::{CallContext, Priority};
pub use engines::{EngineSettings, Engines, Tuning};
pub use error::{AudioProblem, EngineError};
pub use install::{InstallError, Installer, PullSink};
pub use speech::{Diarization, DiarizationOptions, Segment, Speaker, SpeechOptions, Transcript, Turn, Word};
pub use text::{TaskFormat, TaskRequest, TaskSource, TextAnswer, TextOperation, TextRequest, TextTranscript};

/// Hears speech and writes it down.
pub trait Transcriber: Send + Sync {
    /// Transcribes the whole recording. Every finished segment goes to `sink` at once; the deltas joined are the text.
    /// Fails with `Cancelled` soon after the context is cancelled.
    fn transcribe(
        &self,
        audio: &AudioSource,
        options: &SpeechOptions,
        sink: &mut dyn SpeechSink,
        context: &CallContext,
    ) -> Result<Transcript, EngineError>;
}

/// Tells who speaks when.
pub trait Diarizer: Send + Sync {
    fn diarize(
        &self,
        audio: &AudioSource,
        options: &DiarizationOptions,
        sink: &mut dyn ProgressSink,
        context: &CallContext,
    ) -> Result<Diarization, EngineError>;
}

/// Reads a transcript and answers: one of the stages, or a task in the caller's own words.
pub trait TextModel: Send + Sync {
    fn run(
        &self,
        request: &TextRequest,
        sink: &mut dyn TextSink,
        context: &CallContext,
    ) -> Result<TextAnswer, EngineError>;
}

/// Hears how far into the audio the work is.
pub trait ProgressSink {
    /// `seconds_total` is absent where only decoding to the end would tell.
    fn progress(&mut self, seconds_done: f64, seconds_total: Option<f64>);
}

/// Hears a transcription as it grows.
pub trait SpeechSink: ProgressSink {
    fn delta(&mut self, text: &str);
    fn segment(&mut self, segment: &Segment);
}

/// Hears a text answer as it grows.
pub trait TextSink {
    fn delta(&mut self, text: &str);
    /// So much of a stage's work is done, from 0 to 1; it may begin anew when a stage reads the text again.
    fn progress(&mut self, _share: f64) {}
}

/// A sink for callers who want the end result only.
#[derive(Debug, Default, Clone, Copy)]
pub struct Ignore;

impl ProgressSink for Ignore {
    fn progress(&mut self, _: f64, _: Option<f64>) {}
}

impl SpeechSink for Ignore {
    fn delta(&mut self, _: &str) {}
    fn segment(&mut self, _: &Segment) {}
}

impl TextSink for Ignore {
    fn delta(&mut self, _: &str) {}
}
