//! A stage or task as the caller asked for it.

use super::check::Path;
use super::read::text;
use crate::error::Checked;
use crate::limits;
use crate::raw_json::RawJson;
use crate::step::SchemaText;
use crate::step::spec::{StepSpec, TextFormat};

/// A requested stage or task.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestedStep {
    /// `None` for the default model.
    pub model: Option<String>,
    pub spec: StepSpec,
    /// The sources of a task, in the form of pointers; the plan checks what they point to. `None` for the default.
    pub sources: Option<Vec<String>>,
}

impl RequestedStep {
    pub(super) fn stage(model: Option<String>, spec: StepSpec) -> Self {
        Self { model, spec, sources: None }
    }

    /// The schema of a task's answer, if it has one.
    pub fn schema(&self) -> Option<&SchemaText> {
        match &self.spec {
            StepSpec::Task(task) => match &task.answer.format {
                TextFormat::JsonSchema(format) => Some(&format.schema),
                TextFormat::Text => None,
            },
            StepSpec::Transcription(_) | StepSpec::Diarization(_) | StepSpec::Stage(_) => None,
        }
    }
}

pub(super) fn model(path: &Path<'_>, value: RawJson<'_>) -> Checked<String> {
    text(1..=limits::MODEL_CHARACTERS)(path, value)
}
