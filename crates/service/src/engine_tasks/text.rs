//! One call of a text model.

use std::sync::Arc;

use auris_engines::{CallContext, Engines, TextAnswer, TextRequest, TextSink};
use tokio::sync::mpsc::UnboundedSender;

use super::{EngineTask, missing_model};

/// What to ask, and which model.
#[derive(Clone)]
pub struct TextCall {
    pub model: String,
    pub request: TextRequest,
    pub context: CallContext,
}

/// What a model reports while it works.
#[derive(Debug, Clone)]
pub enum TextEvent {
    Delta(String),
    /// The completed share of the work, from 0 to 1.
    Share(f64),
}

/// Starts a stage or task.
pub fn run_text(engines: &Arc<Engines>, call: TextCall) -> EngineTask<TextEvent, TextAnswer> {
    let engines = Arc::clone(engines);
    EngineTask::start(move |sender| {
        let model = engines.text(&call.model).ok_or_else(|| missing_model(&call.model))?;
        model.run(&call.request, &mut EventSender(sender), &call.context)
    })
}

/// Ignores a receiver that is gone: the context stops the engine then.
struct EventSender(UnboundedSender<TextEvent>);

impl TextSink for EventSender {
    fn delta(&mut self, text: &str) {
        let _ = self.0.send(TextEvent::Delta(text.to_owned()));
    }

    fn progress(&mut self, share: f64) {
        let _ = self.0.send(TextEvent::Share(share));
    }
}
