//! A transcription.

use std::path::PathBuf;
use std::sync::Arc;

use auris_domain::step::spec::TranscriptionSpec;
use auris_domain::transcript::Segment;
use auris_engines::{CallContext, Engines, ProgressSink, SpeechSink, Transcription};
use tokio::sync::mpsc::UnboundedSender;

use super::{EngineTask, missing_model};

/// What to transcribe, and with which model.
pub struct TranscriptionCall {
    pub path: PathBuf,
    pub model: String,
    pub spec: TranscriptionSpec,
    pub context: CallContext,
}

/// What the engine reports while it transcribes.
#[derive(Debug, Clone)]
pub enum SpeechEvent {
    Delta(String),
    Segment(Segment),
    Progress { seconds_done: f64, seconds_total: Option<f64> },
}

/// Starts a transcription.
pub fn transcribe(engines: &Arc<Engines>, call: TranscriptionCall) -> EngineTask<SpeechEvent, Transcription> {
    let engines = Arc::clone(engines);
    EngineTask::start(move |sender| {
        let transcriber = engines.transcriber(&call.model).ok_or_else(|| missing_model(&call.model))?;
        let audio = engines.source(&call.path);
        transcriber.transcribe(&audio, &call.spec, &mut EventSender(sender), &call.context)
    })
}

/// Ignores a receiver that is gone: the context stops the engine then.
struct EventSender(UnboundedSender<SpeechEvent>);

impl ProgressSink for EventSender {
    fn progress(&mut self, seconds_done: f64, seconds_total: Option<f64>) {
        let _ = self.0.send(SpeechEvent::Progress { seconds_done, seconds_total });
    }
}

impl SpeechSink for EventSender {
    fn delta(&mut self, text: &str) {
        let _ = self.0.send(SpeechEvent::Delta(text.to_owned()));
    }

    fn segment(&mut self, segment: &Segment) {
        let _ = self.0.send(SpeechEvent::Segment(segment.clone()));
    }
}
