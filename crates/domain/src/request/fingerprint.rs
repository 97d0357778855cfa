//! Fingerprints of requests: equal for equal requests, independent of the order of their fields and of spelled-out
//! defaults. They are stored, so the fingerprint of a request that has none of these must stay as it is.

use serde_json::{Map, Number, Value, json};
use sha2::{Digest, Sha256};

use super::body_index::BodyIndex;
use super::defaults::{Defaults, Place};
use super::sorted_fields::SortedFields;
use super::{EndpointRequest, FollowUpRequest, TranscriptionRequest};
use crate::error::{ApiError, Checked, ErrorCode};
use crate::raw_json::RawJson;

/// A value of this size is read as a whole. Larger ones are read piece by piece, because a tree of values needs up to 130
/// times as much memory as its text.
const SMALL_BYTES: usize = 64 << 10;

/// The fingerprint of the body of an analysis, in hex. Its cost does not depend on how deeply the body is nested. Fails if
/// the body is longer than 4 GiB.
pub fn body(body: RawJson<'_>) -> Checked<String> {
    let index = BodyIndex::of(body.as_str(), SMALL_BYTES).ok_or_else(too_large)?;
    let mut print =
        BodyPrint { text: body.as_str(), index, hash: Sha256::new(), defaults: Defaults::new(body) };
    print.add(Place::Request, body)?;
    Ok(hex(&print.hash.finalize()))
}

/// The fingerprint of a value, in hex.
pub(super) fn of_value(value: &Value) -> String {
    let mut hash = Sha256::new();
    add(&mut hash, value);
    hex(&hash.finalize())
}

/// The fingerprint of a body that is being read.
struct BodyPrint<'a> {
    text: &'a str,
    index: BodyIndex<'a>,
    hash: Sha256,
    defaults: Defaults<'a>,
}

impl<'a> BodyPrint<'a> {
    /// Adds what `add` adds for the same value without its defaults.
    fn add(&mut self, place: Place, raw: RawJson<'a>) -> Checked<()> {
        let has_defaults = place != Place::Other && (raw.is_object() || raw.is_array());
        if raw.as_str().len() <= SMALL_BYTES
            && !has_defaults
            && let Some(value) = raw.read()
        {
            add(&mut self.hash, &value);
            return Ok(());
        }
        if let Some(text) = raw.string() {
            add_text(&mut self.hash, b's', &text);
            return Ok(());
        }
        if raw.is_object() {
            return self.add_object(place, raw);
        }
        if raw.is_array() {
            return self.add_array(place, raw);
        }
        // A number of more than 64 KiB. Earlier builds stored this fingerprint for it.
        add_count(&mut self.hash, b'a', 0);
        Ok(())
    }

    fn add_array(&mut self, place: Place, array: RawJson<'a>) -> Checked<()> {
        add_count(&mut self.hash, b'a', self.index.count(array));
        let mut items = self.index.items(array);
        while let Some(item) = items.next(&self.index) {
            self.add(place.item(), item)?;
        }
        Ok(())
    }

    fn add_object(&mut self, place: Place, object: RawJson<'a>) -> Checked<()> {
        let is_said = |name: &str, field: RawJson<'a>| !self.defaults.contain(place, name, field);
        let fields = match self.index.take_fields(object) {
            Some(positions) => SortedFields::at(self.text, positions, is_said),
            None => SortedFields::of(object, is_said).ok_or_else(too_large)?,
        };
        add_count(&mut self.hash, b'o', fields.len());
        for (name, field) in fields.iter() {
            add_text(&mut self.hash, b'k', &name);
            self.add(place.field(&name), field)?;
        }
        Ok(())
    }
}

fn too_large() -> ApiError {
    ApiError::new(ErrorCode::BodyTooLarge, "The body is larger than 4 GiB.")
}

/// The fingerprint of an upload: of its checked fields, the SHA-256 of its file in hex, and the analysis that follows.
pub fn upload(
    request: &TranscriptionRequest,
    file_sha256: &str,
    follow_up: Option<&FollowUpRequest>,
) -> String {
    match follow_up {
        None => of_value(&json!({"request": request, "file": file_sha256})),
        Some(follow_up) => {
            let analysis = of_follow_up(follow_up.as_str());
            of_value(&json!({"request": request, "file": file_sha256, "analysis": analysis}))
        }
    }
}

/// A part of a form is far shorter than 4 GiB. If it were longer, its text would be hashed as it is.
fn of_follow_up(text: &str) -> String {
    let print = RawJson::whole(text).ok().and_then(|analysis| body(analysis).ok());
    print.unwrap_or_else(|| of_value(&json!(text)))
}

/// The fingerprint of a request for a webhook endpoint.
pub fn endpoint(request: &EndpointRequest) -> String {
    of_value(&json!({"url": request.url}))
}

/// The fingerprint of a request without a body. The store compares the path separately.
pub fn no_body() -> String {
    of_value(&Value::Null)
}

/// Adds a value to the hash, preceded by its kind and its length, so that different values never add the same bytes.
/// This has the effect of canonical JSON without a second copy of a body that can have ten million characters.
fn add(hash: &mut Sha256, value: &Value) {
    match value {
        Value::Null => hash.update(b"n"),
        Value::Bool(true) => hash.update(b"t"),
        Value::Bool(false) => hash.update(b"f"),
        Value::Number(number) => add_text(hash, b'd', &number_text(number)),
        Value::String(text) => add_text(hash, b's', text),
        Value::Array(items) => {
            add_count(hash, b'a', items.len());
            items.iter().for_each(|item| add(hash, item));
        }
        Value::Object(fields) => add_fields(hash, fields),
    }
}

fn add_fields(hash: &mut Sha256, fields: &Map<String, Value>) {
    add_count(hash, b'o', fields.len());
    let mut sorted: Vec<(&String, &Value)> = fields.iter().collect();
    sorted.sort_unstable_by_key(|(name, _)| *name);
    for (name, field) in sorted {
        add_text(hash, b'k', name);
        add(hash, field);
    }
}

fn add_text(hash: &mut Sha256, kind: u8, text: &str) {
    add_count(hash, kind, text.len());
    hash.update(text.as_bytes());
}

fn add_count(hash: &mut Sha256, kind: u8, count: usize) {
    hash.update([kind]);
    hash.update((count as u64).to_le_bytes());
}

/// The number as text. `3.0` and `3` are the same number. From 9e15 on, floats are not exact integers.
fn number_text(number: &Number) -> String {
    match number.as_f64() {
        Some(value) if number.is_f64() && value.fract() == 0.0 && value.abs() < 9e15 => {
            (value as i64).to_string()
        }
        Some(_) | None => number.to_string(),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
