//! One call of a text model.

use std::sync::Arc;

use auris_domain::result::ResultDocument;
use auris_engines::{CallContext, Engines, TaskSource, TextAnswer, TextRequest, TextSink};
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

/// A pointer of a task that names nothing in the document.
pub(crate) struct MissingSource(pub(crate) String);

/// The texts that a task reads, in the order of its pointers.
pub(crate) fn task_sources(
    pointers: &[impl AsRef<str>],
    document: &ResultDocument,
) -> Result<Vec<TaskSource>, MissingSource> {
    let resolve = |pointer: &str| match document.source_text(pointer) {
        Some(text) => Ok(TaskSource { pointer: pointer.to_owned(), text }),
        None => Err(MissingSource(pointer.to_owned())),
    };
    pointers.iter().map(|pointer| resolve(pointer.as_ref())).collect()
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
