//! Engine work on its own thread. The worker, synchronous calls and the command line all start it here.

mod diarization;
mod text;
mod transcription;

use auris_engines::{EngineError, low_priority};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

pub use diarization::{AudioPosition, DiarizationCall, diarize};
pub(crate) use text::{MissingSource, task_sources};
pub use text::{TextCall, TextEvent, run_text};
pub use transcription::{SpeechEvent, TranscriptionCall, transcribe};

/// Running engine work: events arrive while it runs, then its output.
pub struct EngineTask<Event, Output> {
    pub events: UnboundedReceiver<Event>,
    finished: JoinHandle<Result<Output, EngineError>>,
}

impl<Event, Output> EngineTask<Event, Output>
where
    Event: Send + 'static,
    Output: Send + 'static,
{
    fn start(
        work: impl FnOnce(UnboundedSender<Event>) -> Result<Output, EngineError> + Send + 'static,
    ) -> Self {
        let (sender, events) = unbounded_channel();
        Self { events, finished: low_priority::spawn(move || work(sender)) }
    }

    /// Waits for the output. Call it once, after all events were received.
    pub async fn finish(&mut self) -> Result<Output, EngineError> {
        match (&mut self.finished).await {
            Ok(outcome) => outcome,
            Err(error) => Err(EngineError::Internal(format!("an engine thread stopped: {error}"))),
        }
    }
}

/// The model was removed after the work was planned.
fn missing_model(model: &str) -> EngineError {
    EngineError::Internal(format!("the model `{model}` is no longer available"))
}
