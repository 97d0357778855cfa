//! Checks an arbitrary JSON Schema as that of several tasks, and validates an arbitrary answer against those that are accepted.
//!
//! It finds panics, hangs and unlimited memory use: a schema that is accepted must be cheap to use.

#![no_main]

use auris_domain::request::AnalysisRequest;
use auris_domain::request::json::parse_strict;
use libfuzzer_sys::fuzz_target;

const BEFORE: &str = r#"{"transcript":{"text":"a"},"processing":{"tasks":["#;
const AFTER: &str = "]}}";

/// A task with the schema.
fn task(id: usize, schema: &str) -> String {
    format!(
        r#"{{"id":"t{id}","model":"m","text":{{"format":{{"type":"json_schema","name":"n","schema":{schema}}}}}}}"#
    )
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let (schema, answer) = text.split_once('\n').unwrap_or((text, "{}"));
    let tasks: Vec<String> = (0..3).map(|id| task(id, schema)).collect();
    let body = format!("{BEFORE}{}{AFTER}", tasks.join(","));
    let Ok(body) = parse_strict(body.as_bytes()) else { return };
    let Ok(request) = AnalysisRequest::parse(body) else { return };
    let schemas: Vec<_> = request.processing.steps.iter().filter_map(|step| step.schema()).collect();
    let Some(schema) = schemas.first() else { return };
    assert!(
        schemas.iter().all(|other| std::ptr::eq(other.as_str(), schema.as_str())),
        "equal texts are shared"
    );
    let tree = schema.read().expect("a schema that was read has a tree");
    assert_eq!(tree.to_string(), schema.as_str());
    let Ok(answer) = serde_json::from_str(answer) else { return };
    let _ = auris_domain::request::schema::validate(schema, &answer);
});
