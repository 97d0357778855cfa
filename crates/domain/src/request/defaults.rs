//! The defaults of an analysis request: a field that spells one out says the same as a field that is left out.

use crate::error::Checked;
use crate::job::FailurePolicy;
use crate::limits;
use crate::raw_json::RawJson;
use crate::step::spec::{Granularity, SummaryType};

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

    /// Whether the request would mean the same without this field.
    pub(super) fn is_default(self, name: &str, value: RawJson<'_>) -> bool {
        match (self, name) {
            (Self::Request, "async") | (Self::TextFormat, "strict") => value.as_str() == "true",
            (Self::Request, "metadata") => is_empty_object(value),
            (Self::Processing, "failure_policy") => is_text(value, FailurePolicy::default().into()),
            (Self::Sentiment, "granularity") => is_text(value, Granularity::default().into()),
            (Self::Summary, "type") => is_text(value, SummaryType::default().into()),
            (Self::Processing, "tasks")
            | (Self::Entities, "types")
            | (Self::Transcript, "segments" | "utterances") => is_empty_array(value),
            (Self::Task, "max_output_tokens") => {
                value.read::<f64>() == Some(limits::TASK_DEFAULT_OUTPUT_TOKENS as f64)
            }
            (Self::Task, "text") => is_plain_text(value),
            (Self::Transcript, "language") => value.is_null(),
            _ => false,
        }
    }
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
