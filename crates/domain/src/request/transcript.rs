//! A transcript that the caller sends: known fields checked, everything else kept.

use serde_json::{Map, Value, json};

use super::check::{Object, Path, missing};
use super::read::{list, nullable, string, text};
use crate::error::Checked;
use crate::limits;
use crate::money::is_plain_decimal;

/// A checked `transcript` of an analysis request.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenTranscript {
    pub text: String,
    pub duration_seconds: Option<String>,
    pub language: Option<String>,
    pub segments: Vec<Map<String, Value>>,
    pub utterances: Vec<Map<String, Value>>,
    /// Fields that the interface does not name.
    pub extra: Map<String, Value>,
}

impl GivenTranscript {
    pub(super) fn read(path: &Path<'_>, value: Value) -> Checked<Self> {
        let mut object = Object::read(path, value)?;
        let language = limits::TRANSCRIPT_LANGUAGE_MIN_CHARACTERS..=limits::LANGUAGE_CHARACTERS;
        Ok(Self {
            text: object.required("text", text(0..=limits::TRANSCRIPT_CHARACTERS))?,
            duration_seconds: object.optional("duration_seconds", decimal)?,
            language: object.optional("language", nullable(text(language)))?.flatten(),
            segments: object
                .optional("segments", list(0..=limits::TRANSCRIPT_ITEMS, item))?
                .unwrap_or_default(),
            utterances: object
                .optional("utterances", list(0..=limits::TRANSCRIPT_ITEMS, item))?
                .unwrap_or_default(),
            extra: object.rest(),
        })
    }

    /// The same without its bulk: the fields that a plan must know of.
    pub fn outline(&self) -> Self {
        let none = (String::new(), vec![], vec![]);
        let (text, segments, utterances) = none;
        let (duration_seconds, language) = (self.duration_seconds.clone(), self.language.clone());
        Self { text, duration_seconds, language, segments, utterances, extra: self.extra.clone() }
    }

    /// The `transcript` part of the result document: the known fields, then the extras.
    pub fn document(&self) -> Value {
        self.clone().into_document()
    }

    /// The same without a copy, which counts with ten million characters.
    pub fn into_document(self) -> Value {
        let mut fields = Map::new();
        fields.insert("text".into(), Value::String(self.text));
        fields.insert("language".into(), json!(self.language));
        // Absent rather than null: a request refuses the null, and a result's transcript must be fit to send back.
        fields
            .extend(self.duration_seconds.map(|seconds| ("duration_seconds".into(), Value::String(seconds))));
        fields.insert("segments".into(), objects(self.segments));
        fields.insert("utterances".into(), objects(self.utterances));
        fields.extend(self.extra);
        Value::Object(fields)
    }
}

fn objects(items: Vec<Map<String, Value>>) -> Value {
    Value::Array(items.into_iter().map(Value::Object).collect())
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

/// A segment or utterance: an object with a text, and whatever else the caller keeps in it.
fn item(path: &Path<'_>, value: Value) -> Checked<Map<String, Value>> {
    let fields = Object::read(path, value)?.rest();
    match fields.get("text") {
        Some(Value::String(_)) => Ok(fields),
        Some(other) => Err(path.field("text").wrong_type("a string", other)),
        None => Err(missing(&path.field("text"))),
    }
}
