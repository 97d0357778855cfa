//! The transcript of an analysis request: known fields are checked, all others are kept.

use serde_json::{Map, Value};

use super::check::{Object, Path, missing};
use super::read::{list, nullable, string, text};
use crate::error::Checked;
use crate::limits;
use crate::money::is_plain_decimal;
use crate::transcript::{Passage, SourceTranscript};

/// Reads the `transcript` of an analysis request.
pub(super) fn read(path: &Path<'_>, value: Value) -> Checked<SourceTranscript> {
    let mut object = Object::read(path, value)?;
    let language = limits::TRANSCRIPT_LANGUAGE_MIN_CHARACTERS..=limits::LANGUAGE_CHARACTERS;
    let passages = list(0..=limits::TRANSCRIPT_ITEMS, passage);
    Ok(SourceTranscript {
        text: object.required("text", text(0..=limits::TRANSCRIPT_CHARACTERS))?,
        duration_seconds: object.optional("duration_seconds", decimal)?,
        language: object.optional("language", nullable(text(language)))?.flatten(),
        segments: object.optional("segments", &passages)?.unwrap_or_default(),
        utterances: object.optional("utterances", &passages)?.unwrap_or_default(),
        extra: object.rest(),
    })
}

fn decimal(path: &Path<'_>, value: Value) -> Checked<String> {
    let text = string(path, value)?;
    if is_plain_decimal(&text) {
        return Ok(text);
    }
    Err(path.invalid(
        "a non-negative decimal without leading zeros and with up to 10 fractional digits, such as `12.34`",
    ))
}

/// A segment or utterance: an object with a `text` and any other fields.
fn passage(path: &Path<'_>, value: Value) -> Checked<Passage> {
    let fields: Map<String, Value> = Object::read(path, value)?.rest();
    match fields.get("text") {
        Some(Value::String(_)) => Ok(Passage::new(&fields)),
        Some(other) => Err(path.field("text").wrong_type("a string", other)),
        None => Err(missing(&path.field("text"))),
    }
}
