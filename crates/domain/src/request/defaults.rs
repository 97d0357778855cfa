//! The defaults of an analysis request: a field that spells one out says the same as a field that is left out.

use crate::error::Checked;
use crate::job::FailurePolicy;
use crate::limits;
use crate::raw_json::RawJson;
use crate::step::spec::{Granularity, SummaryType};

const UTTERANCES: &str = "#/transcript/utterances";
const TEXT: &str = "#/transcript/text";

/// A value of the request whose fields have defaults, or that contains such a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Request,
    Processing,
    Entities,
    Sentiment,
    Summary,
    Tasks,
    Task,
    TaskText,
    TextFormat,
    Transcript,
    /// Everything else. Nothing in it has a default.
    Other,
}

impl Place {
    /// The place of a field of this value.
    pub(super) fn field(self, name: &str) -> Self {
        match (self, name) {
            (Self::Request, "processing") => Self::Processing,
            (Self::Request, "transcript") => Self::Transcript,
            (Self::Processing, "entities") => Self::Entities,
            (Self::Processing, "sentiment") => Self::Sentiment,
            (Self::Processing, "summary") => Self::Summary,
            (Self::Processing, "tasks") => Self::Tasks,
            (Self::Task, "text") => Self::TaskText,
            (Self::TaskText, "format") => Self::TextFormat,
            _ => Self::Other,
        }
    }

    /// The place of an item of this value.
    pub(super) fn item(self) -> Self {
        if self == Self::Tasks { Self::Task } else { Self::Other }
    }
}

/// The defaults of one request.
pub(super) struct Defaults<'a> {
    request: RawJson<'a>,
    /// The default source of its tasks, once it was needed.
    source: Option<&'static str>,
}

impl<'a> Defaults<'a> {
    pub(super) fn new(request: RawJson<'a>) -> Self {
        Self { request, source: None }
    }

    /// Whether the request would mean the same without this field.
    pub(super) fn contain(&mut self, place: Place, name: &str, value: RawJson<'_>) -> bool {
        match (place, name) {
            (Place::Request, "async") | (Place::TextFormat, "strict") => value.as_str() == "true",
            (Place::Request, "metadata") => is_empty_object(value),
            (Place::Processing, "failure_policy") => is_text(value, FailurePolicy::default().into()),
            (Place::Sentiment, "granularity") => is_text(value, Granularity::default().into()),
            (Place::Summary, "type") => is_text(value, SummaryType::default().into()),
            (Place::Processing, "tasks")
            | (Place::Entities, "types")
            | (Place::Transcript, "segments" | "utterances") => is_empty_array(value),
            (Place::Task, "max_output_tokens") => {
                value.read::<f64>() == Some(limits::TASK_DEFAULT_OUTPUT_TOKENS as f64)
            }
            (Place::Task, "temperature") => value.read::<f64>() == Some(0.0),
            (Place::Task, "sources") => self.is_default_source(value),
            (Place::Task, "text") => is_plain_text(value),
            (Place::Transcript, "language") => value.is_null(),
            _ => false,
        }
    }

    fn is_default_source(&mut self, sources: RawJson<'_>) -> bool {
        let Some(source) = only_item(sources) else { return false };
        let request = self.request;
        let default = *self.source.get_or_insert_with(|| default_source(request));
        is_text(source, default)
    }
}

/// The source that a task without `sources` reads, as in `plan::draft`. The transcript of an earlier job has no
/// utterances, because only a diarization makes them, and its output is not part of that transcript.
fn default_source(request: RawJson<'_>) -> &'static str {
    let utterances = field(request, "transcript").and_then(|transcript| field(transcript, "utterances"));
    let has_utterances = utterances.is_some_and(|list| list.is_array() && !is_empty_array(list));
    let diarization = field(request, "processing").and_then(|processing| field(processing, "diarization"));
    if has_utterances || diarization.is_some_and(RawJson::is_object) { UTTERANCES } else { TEXT }
}

/// The field of an object with this name.
fn field<'a>(object: RawJson<'a>, wanted: &str) -> Option<RawJson<'a>> {
    let mut found = None;
    let _: Checked<()> = object.for_each_field(|name, value| {
        if name == wanted {
            found = Some(value);
        }
        Ok(())
    });
    found
}

/// The item of an array that has one item.
fn only_item(array: RawJson<'_>) -> Option<RawJson<'_>> {
    let mut only = None;
    let walked = array.for_each_item(|index, item| {
        only = Some(item);
        if index == 0 { Ok(()) } else { Err(()) }
    });
    only.filter(|_| walked.is_ok())
}

fn is_text(value: RawJson<'_>, expected: &str) -> bool {
    value.string().as_deref() == Some(expected)
}

/// Stops at the first item, because an array can be long.
fn is_empty_array(value: RawJson<'_>) -> bool {
    value.is_array() && value.for_each_item(|_, _| Err(())).is_ok()
}

fn is_empty_object(value: RawJson<'_>) -> bool {
    value.is_object() && value.for_each_field(|_, _| Err(())).is_ok()
}

/// Whether the `text` of a task is `{"format": {"type": "text"}}`.
fn is_plain_text(text: RawJson<'_>) -> bool {
    let kind = only_field(text, "format").and_then(|format| only_field(format, "type"));
    kind.is_some_and(|kind| is_text(kind, "text"))
}

/// The field of an object that has this field and no other.
fn only_field<'a>(object: RawJson<'a>, wanted: &str) -> Option<RawJson<'a>> {
    let mut count = 0;
    let mut found = None;
    let walked: Checked<()> = object.for_each_field(|name, field| {
        count += 1;
        if name == wanted {
            found = Some(field);
        }
        Ok(())
    });
    found.filter(|_| walked.is_ok() && count == 1)
}
