//! Tests of the transcript in an analysis request.

use serde_json::{Value, json};

use super::*;

fn transcript(field: &str, value: Value) -> Value {
    with(&format!("/transcript/{field}"), value)
}

/// The transcript of an accepted body, as a result shows it.
fn written(body: Value) -> Value {
    serde_json::to_value(accepted(body).transcript).unwrap()
}

#[test]
fn the_text_is_required_and_may_be_empty() {
    accepted(transcript("text", json!("")));
    refused(with("/transcript", json!({})), ErrorCode::MissingRequiredParameter, "transcript.text");
    refused(transcript("text", json!(null)), ErrorCode::InvalidType, "transcript.text");
}

#[test]
fn the_text_has_at_most_ten_million_characters() {
    accepted(transcript("text", json!("é".repeat(10_000_000))));
    refused(transcript("text", json!("a".repeat(10_000_001))), ErrorCode::ValueTooLong, "transcript.text");
}

#[test]
fn the_duration_is_a_plain_decimal() {
    for valid in ["0", "12.34", "0.1234567890"] {
        let request = accepted(transcript("duration_seconds", json!(valid)));
        assert_eq!(request.transcript.unwrap().duration_seconds.as_deref(), Some(valid));
    }
    for invalid in ["", "01", "-1", "1.", "0.12345678901", "1e3"] {
        refused(
            transcript("duration_seconds", json!(invalid)),
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
    for valid in [json!(null), json!("en"), json!("a".repeat(16))] {
        accepted(transcript("language", valid));
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
fn there_are_at_most_100000_segments_and_utterances() {
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
    let document = written(with("/transcript", given));
    let expected = json!({
        "text": "Hi.", "language": null,
        "segments": [{"text": "Hi.", "own": {"a": 1}}],
        "utterances": [{"text": "Hi.", "speaker": "A"}],
        "channel": 2,
    });
    assert_eq!(document, expected);
}

#[test]
fn every_transcript_of_a_result_is_accepted_by_a_request() {
    accepted(with("/transcript", written(minimal())));
    let mut given =
        json!({"text": "Hi.", "language": "en", "duration_seconds": "1.5", "segments": [], "utterances": []});
    given["own"] = json!(true);
    assert_eq!(written(with("/transcript", given.clone())), given);
}
