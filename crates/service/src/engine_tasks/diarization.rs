//! A diarization.

use std::path::PathBuf;
use std::sync::Arc;

use auris_domain::step::spec::DiarizationSpec;
use auris_engines::{CallContext, DiarizedAudio, Engines, ProgressSink};
use tokio::sync::mpsc::UnboundedSender;

use super::{EngineTask, missing_model};

/// What to diarize, and with which model.
pub struct DiarizationCall {
    pub path: PathBuf,
    pub model: String,
    pub spec: DiarizationSpec,
    pub context: CallContext,
}

/// How much of the audio is done.
#[derive(Debug, Clone, Copy)]
pub struct AudioPosition {
    pub seconds_done: f64,
    pub seconds_total: Option<f64>,
}

/// Starts a diarization.
pub fn diarize(engines: &Arc<Engines>, call: DiarizationCall) -> EngineTask<AudioPosition, DiarizedAudio> {
    let engines = Arc::clone(engines);
    EngineTask::start(move |sender| {
        let diarizer = engines.diarizer(&call.model).ok_or_else(|| missing_model(&call.model))?;
        let audio = engines.source(&call.path);
        diarizer.diarize(&audio, &call.spec, &mut PositionSender(sender), &call.context)
    })
}

/// Ignores a receiver that is gone: the context stops the engine then.
struct PositionSender(UnboundedSender<AudioPosition>);

impl ProgressSink for PositionSender {
    fn progress(&mut self, seconds_done: f64, seconds_total: Option<f64>) {
        let _ = self.0.send(AudioPosition { seconds_done, seconds_total });
    }
}
