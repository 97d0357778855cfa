//! Diarization: its result and the trait of its engines.

use auris_domain::step::output::Diarization;
use auris_domain::step::spec::DiarizationSpec;

use crate::{AudioSource, CallContext, EngineError, ProgressSink};

/// Finds who speaks when.
pub trait Diarizer: Send + Sync {
    /// Returns `Cancelled` soon after the context is cancelled.
    fn diarize(
        &self,
        audio: &AudioSource,
        spec: &DiarizationSpec,
        sink: &mut dyn ProgressSink,
        context: &CallContext,
    ) -> Result<DiarizedAudio, EngineError>;
}

/// Who speaks when in a recording, and how long the recording is.
#[derive(Debug, Clone, PartialEq)]
pub struct DiarizedAudio {
    pub diarization: Diarization,
    /// The decoded duration, exact to the sample.
    pub duration_seconds: f64,
}
