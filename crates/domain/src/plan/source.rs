//! Sources: pointers into the result document, and the step that must complete before one can be read.

use serde_json::{Map, Value};

use crate::model::Capability;
use crate::request::task::TextFormat;
use crate::request::{AnalysisRequest, Processing};

const TRANSCRIPT_FIELDS: [&str; 5] = ["text", "language", "duration_seconds", "segments", "utterances"];

/// A pointer of the right shape, taken apart: `#/tasks/a~1b` is `tasks`, `a/b`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer {
    segments: Vec<String>,
}

impl Pointer {
    /// `None` when the text is no `#/` and names separated by `/`, with `~` only as `~0` or `~1`.
    pub fn parse(text: &str) -> Option<Self> {
        let names = text.strip_prefix("#/")?.split('/');
        let segments: Option<Vec<String>> = names.map(unescape).collect();
        segments.map(|segments| Self { segments })
    }

    fn segment(&self, index: usize) -> Option<&str> {
        self.segments.get(index).map(String::as_str)
    }
}

fn unescape(name: &str) -> Option<String> {
    let mut tildes = name.split('~').skip(1);
    let escapes_are_known = tildes.all(|after| after.starts_with(['0', '1']));
    (!name.is_empty() && escapes_are_known).then(|| name.replace("~1", "/").replace("~0", "~"))
}

/// The value that a pointer names, or `None` when the document has no such place.
pub fn resolve<'a>(document: &'a Value, pointer: &str) -> Option<&'a Value> {
    document.pointer(pointer.strip_prefix('#')?)
}

/// What one request produces, and so what a source may point to.
pub(super) struct Products<'a> {
    processing: &'a Processing,
    extra: Option<&'a Map<String, Value>>,
}

/// What a pointer reads: the transcript as it came in, or the output of the step with a key.
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

    /// Where a pointer leads, or why it leads nowhere.
    pub(super) fn origin(&self, pointer: &Pointer) -> Result<Origin, String> {
        match pointer.segment(0) {
            Some("transcript") => self.transcript(pointer.segment(1)),
            Some("tasks") => self.task(pointer),
            Some(name) => self.stage(name, pointer.segment(1)),
            None => Err("it names nothing".into()),
        }
    }

    fn transcript(&self, field: Option<&str>) -> Result<Origin, String> {
        let diarized = self.processing.diarization.is_some();
        match field {
            None | Some("utterances") if diarized => Ok(Origin::Step("diarization".into())),
            None => Ok(Origin::Transcript),
            Some(name) if self.has_transcript_field(name) => Ok(Origin::Transcript),
            Some(name) => Err(format!("the transcript has no `{name}`")),
        }
    }

    fn has_transcript_field(&self, name: &str) -> bool {
        TRANSCRIPT_FIELDS.contains(&name) || self.extra.is_some_and(|extra| extra.contains_key(name))
    }

    fn stage(&self, name: &str, field: Option<&str>) -> Result<Origin, String> {
        let requested = self.processing.order.iter().find(|stage| stage.as_str() == name);
        let Some(stage) = requested.filter(|stage| **stage != Capability::Task) else {
            return Err(format!("the request does not produce `{name}`"));
        };
        match field {
            Some(field) if !output_fields(*stage).contains(&field) => {
                Err(format!("`{name}` has no `{field}`"))
            }
            Some(_) | None => Ok(Origin::Step(name.into())),
        }
    }

    fn task(&self, pointer: &Pointer) -> Result<Origin, String> {
        let id = pointer.segment(1).ok_or("it names no task")?;
        let task = self.processing.tasks.iter().find(|task| task.id == id);
        let task = task.ok_or_else(|| format!("the request has no task `{id}`"))?;
        match (pointer.segment(2), &task.format) {
            (None | Some("text"), _) | (Some("json"), TextFormat::JsonSchema(_)) => {
                Ok(Origin::Step(format!("tasks/{id}")))
            }
            (Some("json"), TextFormat::Text) => Err(format!("the task `{id}` answers in text, not in JSON")),
            (Some(_), _) => Err("a task's output has `text` and `json` only".into()),
        }
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
