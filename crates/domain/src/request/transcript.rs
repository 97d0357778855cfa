//! The transcript of an analysis request: known fields are checked, all others are kept.

use super::check::{Object, Path, missing};
use super::read::{list, nullable, string, text};
use crate::error::Checked;
use crate::limits;
use crate::money::is_plain_decimal;
use crate::raw_json::RawJson;
use crate::transcript::{ExtraFields, Passage, SourceTranscript};

/// The fields that are part of the API.
const FIELDS: [&str; 5] = ["text", "duration_seconds", "language", "segments", "utterances"];

/// Reads the `transcript` of an analysis request.
pub(super) fn read(path: &Path<'_>, value: RawJson<'_>) -> Checked<SourceTranscript> {
    if !value.is_object() {
        return Err(path.wrong_type("an object", value));
    }
    let mut object = Object::empty(path);
    let mut extra = ExtraFields::default();
    value.for_each_field(|name, field| {
        match FIELDS.contains(&&*name) {
            true => object.add(name, field),
            false => extra.add(&name, field),
        }
        Ok(())
    })?;
    let language = limits::TRANSCRIPT_LANGUAGE_MIN_CHARACTERS..=limits::LANGUAGE_CHARACTERS;
    let passages = list(0..=limits::TRANSCRIPT_ITEMS, passage);
    Ok(SourceTranscript {
        text: object.required("text", text(0..=limits::TRANSCRIPT_CHARACTERS))?,
        duration_seconds: object.optional("duration_seconds", decimal)?,
        language: object.optional("language", nullable(text(language)))?.flatten(),
        segments: object.optional("segments", &passages)?.unwrap_or_default(),
        utterances: object.optional("utterances", &passages)?.unwrap_or_default(),
        extra,
    })
}

fn decimal(path: &Path<'_>, value: RawJson<'_>) -> Checked<String> {
    let text = string(path, value)?;
    if is_plain_decimal(&text) {
        return Ok(text);
    }
    Err(path.invalid(
        "a non-negative decimal without leading zeros and with up to 10 fractional digits, such as `12.34`",
    ))
}

/// A segment or utterance: an object with a `text` and any other fields.
fn passage(path: &Path<'_>, value: RawJson<'_>) -> Checked<Passage> {
    if !value.is_object() {
        return Err(path.wrong_type("an object", value));
    }
    let mut found = None;
    value.for_each_field(|name, field| {
        if name == "text" {
            found = Some(field);
        }
        Ok(())
    })?;
    match found {
        Some(text) if text.string().is_some() => Ok(Passage::of_checked(value)),
        Some(other) => Err(path.field("text").wrong_type("a string", other)),
        None => Err(missing(&path.field("text"))),
    }
}
