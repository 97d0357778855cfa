//! The transcript that a caller sends.

use serde_json::{Value, json};

use super::*;

fn transcript(field: &str, value: Value) -> Value {
    with(&format!("/transcript/{field}"), value)
}

#[test]
fn the_text_is_required_and_may_be_empty() {
    accepted(transcript("text", json!("")));
    refused(with("/transcript", json!({})), ErrorCode::MissingRequiredParameter, "transcript.text");
    refused(transcript("text", json!(null)), ErrorCode::InvalidType, "transcript.text");
}

#[test]
fn the_text_has_ten_million_characters_at_most() {
    accepted(transcript("text", json!("é".repeat(10_000_000))));
    refused(transcript("text", json!("a".repeat(10_000_001))), ErrorCode::ValueTooLong, "transcript.text");
}

#[test]
fn the_duration_is_a_plain_decimal() {
    for good in ["0", "12.34", "0.1234567890"] {
        let request = accepted(transcript("duration_seconds", json!(good)));
        assert_eq!(request.transcript.unwrap().duration_seconds.as_deref(), Some(good));
    }
    for bad in ["", "01", "-1", "1.", "0.12345678901", "1e3"] {
        refused(
            transcript("duration_seconds", json!(bad)),
            ErrorCode::InvalidValue,
            "transcript.duration_seconds",
        );
    }
    refused(transcript("duration_seconds", json!(12)), ErrorCode::InvalidType, "transcript.duration_seconds");
    refused(
        transcript("duration_seconds", json!(null)),
        ErrorCode::InvalidType,
        "transcript.duration_seconds",
    );
}

#[test]
fn the_language_is_null_or_2_to_16_characters() {
    for good in [json!(null), json!("en"), json!("a".repeat(16))] {
        accepted(transcript("language", good));
    }
    refused(transcript("language", json!("e")), ErrorCode::ValueTooShort, "transcript.language");
    refused(transcript("language", json!("é")), ErrorCode::ValueTooShort, "transcript.language");
    refused(transcript("language", json!("a".repeat(17))), ErrorCode::ValueTooLong, "transcript.language");
    refused(transcript("language", json!(1)), ErrorCode::InvalidType, "transcript.language");
}

#[test]
fn segments_and_utterances_are_objects_with_a_text() {
    for field in ["segments", "utterances"] {
        let item = |item: Value| transcript(field, json!([{"text": "a"}, item]));
        accepted(item(json!({"text": "b", "start": 1.5, "own": [1]})));
        refused(item(json!("b")), ErrorCode::InvalidType, &format!("transcript.{field}[1]"));
        refused(item(json!({})), ErrorCode::MissingRequiredParameter, &format!("transcript.{field}[1].text"));
        refused(item(json!({"text": 1})), ErrorCode::InvalidType, &format!("transcript.{field}[1].text"));
        refused(transcript(field, json!(null)), ErrorCode::InvalidType, &format!("transcript.{field}"));
    }
}

#[test]
fn segments_and_utterances_are_100000_at_most() {
    for field in ["segments", "utterances"] {
        accepted(transcript(field, json!(vec![json!({"text": ""}); 100_000])));
        let beyond = transcript(field, json!(vec![json!({"text": ""}); 100_001]));
        refused(beyond, ErrorCode::TooManyItems, &format!("transcript.{field}"));
    }
}

#[test]
fn extra_fields_are_kept_everywhere() {
    let given = json!({
        "text": "Hi.", "channel": 2,
        "segments": [{"text": "Hi.", "own": {"a": 1}}],
        "utterances": [{"text": "Hi.", "speaker": "A"}],
    });
    let document = accepted(with("/transcript", given)).transcript.unwrap().document();
    let expected = json!({
        "text": "Hi.", "language": null,
        "segments": [{"text": "Hi.", "own": {"a": 1}}],
        "utterances": [{"text": "Hi.", "speaker": "A"}],
        "channel": 2,
    });
    assert_eq!(document, expected);
}

#[test]
fn every_document_can_be_sent_back() {
    let document = accepted(minimal()).transcript.unwrap().into_document();
    accepted(with("/transcript", document));
    let mut given =
        json!({"text": "Hi.", "language": "en", "duration_seconds": "1.5", "segments": [], "utterances": []});
    given["own"] = json!(true);
    let document = accepted(with("/transcript", given.clone())).transcript.unwrap().into_document();
    assert_eq!(document, given);
}
