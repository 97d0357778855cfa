//! Tests of the request that names speakers.

use serde_json::{Map, Value, json};

use super::super::SpeakerNamesRequest;
use super::*;

fn parse(body: &Value) -> Checked<SpeakerNamesRequest> {
    let text = body.to_string();
    SpeakerNamesRequest::parse(RawJson::whole(&text).unwrap())
}

fn one(label: &str, name: &str) -> Checked<SpeakerNamesRequest> {
    parse(&json!({"names": Map::from_iter([(label.to_owned(), json!(name))])}))
}

#[test]
fn names_are_read_by_their_labels() {
    let request = parse(&json!({"names": {"SPEAKER_2": "Mr Okafor", "SPEAKER_1": "Änne 🎧"}})).unwrap();
    let names: Vec<_> = request.names.iter().map(|(label, name)| (label.as_str(), name.as_str())).collect();
    assert_eq!(names, [("SPEAKER_1", "Änne 🎧"), ("SPEAKER_2", "Mr Okafor")]);
    assert!(parse(&json!({"names": {}})).unwrap().names.is_empty());
}

#[test]
fn other_bodies_are_refused() {
    assert_refused(parse(&json!({})), ErrorCode::MissingRequiredParameter, "names");
    assert_refused(parse(&json!({"names": {}, "x": 1})), ErrorCode::UnknownParameter, "x");
    assert_refused(parse(&json!({"names": []})), ErrorCode::InvalidType, "names");
    assert_refused(parse(&json!({"names": {"A": null}})), ErrorCode::InvalidType, "names.A");
    assert_refused(parse(&json!([])), ErrorCode::InvalidType, "");
}

#[test]
fn labels_and_names_have_1_to_100_characters() {
    one(&"ä".repeat(100), &"ö".repeat(100)).unwrap();
    assert_refused(one("SPEAKER_1", &"n".repeat(101)), ErrorCode::ValueTooLong, "names.SPEAKER_1");
    assert_refused(one("SPEAKER_1", ""), ErrorCode::ValueTooShort, "names.SPEAKER_1");
    let shortened = format!("names.{}…", "l".repeat(64));
    assert_refused(one(&"l".repeat(101), "n"), ErrorCode::ValueTooLong, &shortened);
    assert_refused(one("", "n"), ErrorCode::ValueTooShort, "names.");
}

#[test]
fn control_characters_are_refused() {
    assert_refused(one("SPEAKER_1", "An\nna"), ErrorCode::InvalidValue, "names.SPEAKER_1");
    assert_refused(one("SPEAKER_1", "An\u{7f}na"), ErrorCode::InvalidValue, "names.SPEAKER_1");
    assert_refused(one("SPEAKER\t1", "Anna"), ErrorCode::InvalidValue, "names");
}

#[test]
fn at_most_100_speakers_have_names() {
    let body = |count: usize| -> Value {
        let names: Map<_, _> = (0..count).map(|index| (format!("S{index}"), json!("n"))).collect();
        json!({"names": names})
    };
    assert_eq!(parse(&body(100)).unwrap().names.len(), 100);
    assert_refused(parse(&body(101)), ErrorCode::TooManyItems, "names");
}
