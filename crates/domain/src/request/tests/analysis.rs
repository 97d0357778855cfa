//! Tests of the top-level fields of an analysis request.

use serde_json::{Map, Value, json};

use super::*;

const JOB: &str = "job_00000000000000000000";

#[test]
fn a_minimal_request_has_the_defaults() {
    let request = accepted(minimal());
    assert_eq!(request.asynchronous, None);
    assert!(!request.waits());
    assert_eq!(request.job_id, None);
    assert!(request.metadata.0.is_empty());
    assert_eq!(request.webhook_url, None);
}

#[test]
fn a_body_that_is_not_an_object_has_the_wrong_type() {
    for body in [json!([]), json!("x"), json!(null), json!(1)] {
        refused(body, ErrorCode::InvalidType, "");
    }
}

#[test]
fn the_error_for_an_unknown_field_names_it() {
    refused(with("/extra", json!(1)), ErrorCode::UnknownParameter, "extra");
    refused(with("/Async", json!(true)), ErrorCode::UnknownParameter, "Async");
}

#[test]
fn processing_is_required() {
    refused(json!({"transcript": {"text": ""}}), ErrorCode::MissingRequiredParameter, "processing");
}

#[test]
fn null_is_not_the_same_as_absent() {
    for field in ["processing", "async", "job_id", "metadata", "transcript", "webhook_url"] {
        refused(with(&format!("/{field}"), Value::Null), ErrorCode::InvalidType, field);
    }
}

#[test]
fn async_is_a_boolean() {
    assert!(accepted(with("/async", json!(false))).waits());
    assert!(!accepted(with("/async", json!(true))).waits());
    refused(with("/async", json!("true")), ErrorCode::InvalidType, "async");
}

#[test]
fn a_transcript_or_a_job_id_is_required() {
    refused(json!({"processing": {"summary": {}}}), ErrorCode::MissingRequiredParameter, "transcript");
    accepted(json!({"processing": {"summary": {}}, "job_id": JOB}));
    accepted(with("/job_id", json!(JOB)));
}

#[test]
fn a_job_id_must_match_its_pattern() {
    refused(with("/job_id", json!("job_0")), ErrorCode::InvalidId, "job_id");
    refused(with("/job_id", json!(7)), ErrorCode::InvalidType, "job_id");
}

#[test]
fn diarization_needs_audio() {
    let mut body = with("/processing/diarization", json!({}));
    refused(body.clone(), ErrorCode::AudioRequired, "processing.diarization");
    body["job_id"] = json!(JOB);
    accepted(body);
}

#[test]
fn metadata_has_at_most_16_entries() {
    let entries = |count: usize| -> Map<String, Value> {
        (0..count).map(|index| (format!("key{index}"), json!("v"))).collect()
    };
    assert_eq!(accepted(with("/metadata", entries(16).into())).metadata.0.len(), 16);
    refused(with("/metadata", entries(17).into()), ErrorCode::MetadataTooLarge, "metadata");
}

#[test]
fn metadata_keys_have_1_to_64_characters() {
    let body = |key: String| with("/metadata", Value::Object(Map::from_iter([(key, json!("v"))])));
    accepted(body("é".repeat(64)));
    refused(body("k".repeat(65)), ErrorCode::ValueTooLong, &format!("metadata.{}…", "k".repeat(64)));
    refused(body(String::new()), ErrorCode::ValueTooShort, "metadata.");
}

#[test]
fn metadata_values_are_strings_of_at_most_512_characters() {
    accepted(with("/metadata", json!({"k": "é".repeat(512)})));
    accepted(with("/metadata", json!({"k": ""})));
    refused(with("/metadata", json!({"k": "v".repeat(513)})), ErrorCode::ValueTooLong, "metadata.k");
    refused(with("/metadata", json!({"k": 1})), ErrorCode::InvalidType, "metadata.k");
    refused(with("/metadata", json!([])), ErrorCode::InvalidType, "metadata");
}

#[test]
fn a_webhook_url_is_an_https_uri_with_a_host() {
    let longest = format!("https://example.com/{}", "a".repeat(2048 - 20));
    for url in
        ["https://example.com", "https://[::1]:8443/a?b=c#d", "https://xn--bcher-kva.example/%20", &longest]
    {
        assert_eq!(accepted(with("/webhook_url", json!(url))).webhook_url.as_deref(), Some(url));
    }
}

#[test]
fn other_webhook_urls_are_refused() {
    let too_long = format!("https://example.com/{}", "a".repeat(2049 - 20));
    for url in [
        "",
        "http://example.com",
        "HTTPS://example.com",
        "ftp://example.com",
        "example.com",
        "https://",
        "https:///path",
        "https://user@example.com",
        "https://user:secret@example.com",
        "https://example.com/a b",
        "https://example.com/\n",
        "https://example.com\\@evil.example",
        "https://example.com/%2",
        "https://bücher.example",
        "https://example.com:99999",
        "https://[::1",
        &too_long,
    ] {
        refused(with("/webhook_url", json!(url)), ErrorCode::InvalidWebhookUrl, "webhook_url");
    }
    refused(with("/webhook_url", json!(1)), ErrorCode::InvalidType, "webhook_url");
}
