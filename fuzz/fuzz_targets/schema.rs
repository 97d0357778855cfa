//! Checks an arbitrary JSON Schema as that of a task, and validates an arbitrary answer against those that are accepted.
//!
//! It finds panics, hangs and unlimited memory use: a schema that is accepted must be cheap to use.

#![no_main]

use auris_domain::request::AnalysisRequest;
use auris_domain::request::json::parse_strict;
use libfuzzer_sys::fuzz_target;

const BEFORE: &str = r#"{"transcript":{"text":"a"},"processing":{"tasks":[{"id":"t","model":"m","text":{"format":
    {"type":"json_schema","name":"n","schema":"#;
const AFTER: &str = "}}}]}}";

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let (schema, answer) = text.split_once('\n').unwrap_or((text, "{}"));
    let body = format!("{BEFORE}{schema}{AFTER}");
    let Ok(body) = parse_strict(body.as_bytes()) else { return };
    if AnalysisRequest::parse(body).is_err() {
        return;
    }
    let Ok(schema) = serde_json::from_str(schema) else { return };
    let Ok(answer) = serde_json::from_str(answer) else { return };
    let _ = auris_domain::request::schema::validate(&schema, &answer);
});
