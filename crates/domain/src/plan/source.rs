//! Sources of tasks: what a pointer reads, and the step that must complete before it can be read.

use crate::model::Capability;
use crate::request::pointer::Pointer;
use crate::request::{AnalysisRequest, Processing};
use crate::step::spec::{StepSpec, TextFormat};
use crate::transcript::ExtraFields;

const TRANSCRIPT_FIELDS: [&str; 5] = ["text", "language", "duration_seconds", "segments", "utterances"];

/// Everything that a request produces: what sources may point to.
pub(super) struct Products<'a> {
    processing: &'a Processing,
    /// Fields of the caller's transcript that are not part of the API.
    extra: Option<&'a ExtraFields>,
}

/// What a pointer reads: the input transcript, or the output of the step with this key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    Transcript,
    Step(String),
}

impl<'a> Products<'a> {
    pub(super) fn of(request: &'a AnalysisRequest) -> Self {
        Self {
            processing: &request.processing,
            extra: request.transcript.as_ref().map(|transcript| &transcript.extra),
        }
    }

    /// What a pointer reads, or why it reads nothing.
    pub(super) fn origin(&self, pointer: &Pointer) -> Result<Origin, String> {
        match pointer.segment(0) {
            Some("transcript") => self.transcript(pointer.segment(1)),
            Some("tasks") => self.task(pointer),
            Some(name) => self.stage(name, pointer.segment(1)),
            None => Err("it is empty".into()),
        }
    }

    fn transcript(&self, field: Option<&str>) -> Result<Origin, String> {
        let diarized = self.processing.asks_for(Capability::Diarization);
        match field {
            None | Some("utterances") if diarized => Ok(Origin::Step("diarization".into())),
            None => Ok(Origin::Transcript),
            Some(name) if self.has_transcript_field(name) => Ok(Origin::Transcript),
            Some(name) => Err(format!("the transcript has no `{name}`")),
        }
    }

    fn has_transcript_field(&self, name: &str) -> bool {
        TRANSCRIPT_FIELDS.contains(&name) || self.extra.is_some_and(|extra| extra.contains(name))
    }

    fn stage(&self, name: &str, field: Option<&str>) -> Result<Origin, String> {
        let capabilities = self.processing.steps.iter().map(|step| step.spec.capability());
        let mut stages = capabilities.filter(|capability| *capability != Capability::Task);
        let Some(stage) = stages.find(|stage| stage.as_str() == name) else {
            return Err(format!("the request does not produce `{name}`"));
        };
        match field {
            Some(field) if !output_fields(stage).contains(&field) => {
                Err(format!("`{name}` has no `{field}`"))
            }
            Some(_) | None => Ok(Origin::Step(name.into())),
        }
    }

    fn task(&self, pointer: &Pointer) -> Result<Origin, String> {
        let id = pointer.segment(1).ok_or("it does not name a task")?;
        let format = self.format_of(id).ok_or_else(|| format!("the request has no task `{id}`"))?;
        match (pointer.segment(2), format) {
            (None | Some("text"), _) | (Some("json"), TextFormat::JsonSchema(_)) => {
                Ok(Origin::Step(format!("tasks/{id}")))
            }
            (Some("json"), TextFormat::Text) => Err(format!("the task `{id}` answers in text, not in JSON")),
            (Some(_), _) => Err("a task's output has only `text` and `json`".into()),
        }
    }

    fn format_of(&self, id: &str) -> Option<&'a TextFormat> {
        self.processing.steps.iter().find_map(|step| match &step.spec {
            StepSpec::Task(task) if task.id == id => Some(&task.answer.format),
            StepSpec::Task(_)
            | StepSpec::Transcription(_)
            | StepSpec::Diarization(_)
            | StepSpec::Stage(_) => None,
        })
    }
}

/// The fields of a stage's part of the result document.
fn output_fields(stage: Capability) -> &'static [&'static str] {
    match stage {
        Capability::Diarization => &["speakers", "turns"],
        Capability::Chapters => &["chapters"],
        Capability::Entities => &["entities"],
        Capability::Formatting => &["text", "paragraphs"],
        Capability::KeyPhrases => &["key_phrases"],
        Capability::Sentiment => &["granularity", "document", "utterances"],
        Capability::Summary => &["type", "text", "bullets"],
        Capability::Topics => &["topics"],
        Capability::Transcription | Capability::Task => &[],
    }
}
