//! Fingerprints of requests: equal for equal requests, whatever the order of their fields.

use serde_json::{Map, Number, Value, json};
use sha2::{Digest, Sha256};

use super::{EndpointRequest, TranscriptionRequest};

/// Of a JSON body.
pub fn body(body: &Value) -> String {
    let mut hash = Sha256::new();
    add(&mut hash, body);
    hex(&hash.finalize())
}

/// Of an upload: its checked fields and the SHA-256 of its file, in hex.
pub fn upload(request: &TranscriptionRequest, file_sha256: &str) -> String {
    body(&json!({"request": request, "file": file_sha256}))
}

/// Of a webhook endpoint.
pub fn endpoint(request: &EndpointRequest) -> String {
    body(&json!({"url": request.url}))
}

/// Of a request that has no body: its path says everything.
pub fn no_body() -> String {
    body(&Value::Null)
}

/// Every value has its kind and its length in front, so that no two different ones feed the hash alike.
/// That is canonical JSON in effect, without a second copy of ten million characters.
fn add(hash: &mut Sha256, value: &Value) {
    match value {
        Value::Null => hash.update(b"n"),
        Value::Bool(true) => hash.update(b"t"),
        Value::Bool(false) => hash.update(b"f"),
        Value::Number(number) => add_text(hash, b'd', &plain(number)),
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

/// `3.0` and `3` are one number.
fn plain(number: &Number) -> String {
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
