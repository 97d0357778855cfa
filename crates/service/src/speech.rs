//! One transcription on a thread of its own: what is heard comes out of a channel while it runs.

use std::path::PathBuf;

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::transcript::{self, Segment};
use auris_engines::{CallContext, EngineError, ProgressSink, SpeechOptions, SpeechSink, Transcript};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use crate::Service;

/// What the engine tells while it listens.
#[derive(Debug, Clone)]
pub(crate) enum Heard {
    Delta(String),
    Segment(Segment),
    Progress { seconds_done: f64, seconds_total: Option<f64> },
}

/// A running transcription.
pub(crate) struct Hearing {
    pub heard: UnboundedReceiver<Heard>,
    finished: JoinHandle<Result<Transcript, EngineError>>,
}

impl Hearing {
    /// The whole transcript, once everything heard was read; asked for once.
    pub(crate) async fn finish(&mut self) -> Result<Transcript, EngineError> {
        match (&mut self.finished).await {
            Ok(outcome) => outcome,
            Err(error) => Err(EngineError::Internal(format!("the speech engine stopped: {error}"))),
        }
    }
}

/// What to listen to, with which model.
pub(crate) struct Recording {
    pub path: PathBuf,
    pub model: String,
    pub options: SpeechOptions,
    pub context: CallContext,
}

impl Service {
    /// Refuses a language that the model cannot hear.
    pub(crate) fn check_language(&self, model: &str, language: Option<&str>) -> Result<(), ApiError> {
        match language {
            Some(language) if !self.engines.knows_language(model, language) => {
                let message = format!(
                    "The model `{model}` does not know the language `{language}`; leave `language` out, or choose another model."
                );
                Err(ApiError::new(ErrorCode::UnsupportedLanguage, message).at("language"))
            }
            Some(_) | None => Ok(()),
        }
    }

    pub(crate) fn listen(&self, recording: Recording) -> Hearing {
        let (sender, heard) = unbounded_channel();
        let engines = std::sync::Arc::clone(&self.engines);
        let finished = tokio::task::spawn_blocking(move || {
            let Some(transcriber) = engines.transcriber(&recording.model) else {
                return Err(EngineError::Internal(format!("the model `{}` is gone", recording.model)));
            };
            let audio = engines.source(&recording.path);
            transcriber.transcribe(&audio, &recording.options, &mut Channel(sender), &recording.context)
        });
        Hearing { heard, finished }
    }
}

/// The engine's `Transcript` in the shape of the interface.
pub fn document(heard: &Transcript) -> transcript::Transcript {
    transcript::Transcript {
        text: heard.text.clone(),
        language: heard.language.clone(),
        duration_seconds: transcript::duration_text(heard.duration_seconds),
        segments: heard.segments.clone(),
        utterances: vec![],
    }
}

/// A receiver that went away is no error: the context tells the engine to stop.
struct Channel(UnboundedSender<Heard>);

impl ProgressSink for Channel {
    fn progress(&mut self, seconds_done: f64, seconds_total: Option<f64>) {
        let _ = self.0.send(Heard::Progress { seconds_done, seconds_total });
    }
}

impl SpeechSink for Channel {
    fn delta(&mut self, text: &str) {
        let _ = self.0.send(Heard::Delta(text.to_owned()));
    }

    fn segment(&mut self, segment: &Segment) {
        let _ = self.0.send(Heard::Segment(segment.clone()));
    }
}
