//! What a task does. It blocks.

use std::sync::Arc;

use auris_domain::model_task::{ModelAction, ModelTask};
use auris_engines::install::PackedCopyState;
use auris_engines::{Engines, PullSink};

use super::super::models::{ModelLibrary, ModelSource, VerifiedModel};
use super::super::{OperatorError, Result};
use super::progress::TaskSink;

/// A task on the thread that does it.
pub(super) struct Work {
    pub(super) library: ModelLibrary,
    pub(super) engines: Arc<Engines>,
    pub(super) task: ModelTask,
}

impl Work {
    /// Fails with what went wrong and what to do. If the sink was cancelled, the failure has no meaning.
    pub(super) fn run(&self, sink: &mut TaskSink) -> Result<()> {
        match self.task.action {
            ModelAction::Pull => self.pull(sink),
            ModelAction::Verify => self.verify(sink),
            ModelAction::Remove => self.remove(),
        }
    }

    fn pull(&self, sink: &mut TaskSink) -> Result<()> {
        sink.expect_bytes(self.library.missing_bytes(&self.task.model));
        self.library.pull(&self.task.model, sink).map(drop)
    }

    fn verify(&self, sink: &mut TaskSink) -> Result<()> {
        sink.expect_bytes(self.library.verifiable_bytes(&self.task.model)?);
        let verified = self.library.verify_one(&self.task.model, sink)?;
        if sink.is_cancelled() {
            return Err(OperatorError::conflict("the verification was cancelled"));
        }
        for model in verified.iter().filter(|model| model.packed_copy == PackedCopyState::Deleted) {
            // It was loaded from the copy that was damaged.
            self.engines.unload(&model.id);
        }
        let failures: Vec<String> = verified.iter().filter(|model| !model.ok).map(failure).collect();
        if failures.is_empty() { Ok(()) } else { Err(OperatorError::conflict(failures.join("; "))) }
    }

    fn remove(&self) -> Result<()> {
        let id = &self.task.model;
        let removed = self.library.remove(id)?.removed;
        self.engines.unload(id);
        if removed {
            return Ok(());
        }
        Err(OperatorError::conflict(format!(
            "the model `{id}` has no files on this node, so nothing was removed; if it consists of other models, remove \
             those"
        )))
    }
}

fn failure(model: &VerifiedModel) -> String {
    let id = &model.id;
    if model.damaged.is_empty() {
        return format!(
            "the packed copy of `{id}` is damaged and cannot be deleted; let the user of the service write to `models.dir`"
        );
    }
    let files = model.damaged.join(", ");
    match model.source {
        ModelSource::Catalogue => {
            format!("damaged files of `{id}`: {files}; remove the model and pull it again")
        }
        ModelSource::Local => format!(
            "damaged files of `{id}`: {files}; remove the model and add it again with `auris models add FILE --id {id}`"
        ),
    }
}
