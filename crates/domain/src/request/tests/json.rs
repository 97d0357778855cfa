//! Tests of strict JSON.

use serde_json::{Value, json};

use super::*;
use crate::limits;
use crate::request::json::{MAX_VALUES, parse_strict};

#[test]
fn a_valid_object_is_read_unchanged() {
    let body = r#"{"b": [1, -2, 1.5, 18446744073709551615, true, null], "a": {"ü": "\u00e9"}}"#;
    let value: Value = serde_json::from_str(parse_strict(body.as_bytes()).unwrap().as_str()).unwrap();
    assert_eq!(value, json!({"b": [1, -2, 1.5, u64::MAX, true, null], "a": {"ü": "é"}}));
}

#[test]
fn invalid_json_is_refused() {
    let deep = format!("{}1{}", "{\"a\":".repeat(200), "}".repeat(200));
    let deep_list = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    for body in [
        &b""[..],
        b" ",
        b"{",
        b"{}{}",
        b"{} x",
        b"{\"a\":1,}",
        b"{'a':1}",
        b"{\"a\":\"\xff\"}",
        b"\xff{}",
        b"\xef\xbb\xbf{}",
        b"{\"a\":\"\x00\"}",
        b"{\"a\":\"\\ud800\"}",
        b"{\"a\":1e999}",
        b"{\"a\":NaN}",
        b"{\"a\":01}",
        b"{}\0",
        deep.as_bytes(),
        deep_list.as_bytes(),
    ] {
        assert_refused(parse_strict(body), ErrorCode::InvalidJson, "");
    }
}

#[test]
fn a_duplicate_key_is_refused_at_any_depth() {
    for body in [
        r#"{"a": 1, "a": 1}"#,
        r#"{"a": {"b": 1, "b": 2}}"#,
        r#"{"a": [{"b": 1, "c": 2, "b": 3}]}"#,
        r#"{"a": 1, "\u0061": 2}"#,
    ] {
        let error = parse_strict(body.as_bytes()).err().unwrap();
        assert_eq!((error.code, &error.param), (ErrorCode::InvalidJson, &None));
        assert!(error.message.contains("twice"), "{}", error.message);
    }
}

#[test]
fn a_duplicate_among_many_keys_is_refused() {
    let fields: Vec<String> = (0..1_000).map(|number| format!("\"{number}\": 0")).collect();
    let distinct = format!("{{{}}}", fields.join(","));
    assert!(parse_strict(distinct.as_bytes()).is_ok());
    let duplicate = format!("{{{}, \"500\": 1}}", fields.join(","));
    let error = parse_strict(duplicate.as_bytes()).err().unwrap();
    assert_eq!(error.code, ErrorCode::InvalidJson);
    assert!(error.message.contains("twice"), "{}", error.message);
}

#[test]
fn too_many_values_and_too_many_fields_are_refused() {
    let values = format!("{{\"a\":[{}0]}}", "0,".repeat(36_000_000));
    assert_refused(parse_strict(values.as_bytes()), ErrorCode::TooManyItems, "");
    let mut fields = String::from("{");
    for number in 0..=1_000_000 {
        fields.push_str(&format!("\"{number}\":0,"));
    }
    fields.push_str("\"a\":0}");
    assert_refused(parse_strict(fields.as_bytes()), ErrorCode::TooManyItems, "");
}

/// A body of the largest size, with the shortest words that a transcriber writes, in Chinese and in English.
#[test]
fn a_body_full_of_short_words_does_not_have_too_many_values() {
    for word in [r#"{"word":"字","start":0,"end":1},"#, r#"{"word":"a","start":0,"end":1},"#] {
        let count = limits::ANALYSIS_BODY_BYTES / word.len();
        // Four values each, and some for what is around the words.
        assert!(count * 4 + 1_000 < MAX_VALUES, "{count} words");
    }
}

/// 10,000,000 characters are about 2,000,000 words, once in the segments and once in the utterances. Only computed: the
/// body has 236 MB.
#[test]
fn the_words_of_the_longest_transcript_fit_a_body_and_do_not_have_too_many_values() {
    let word = r#"{"word":"a","start":0,"end":1,"confidence":1,"speaker":"A"},"#;
    let words = 2 * 2_000_000;
    assert!(words * word.len() < limits::ANALYSIS_BODY_BYTES);
    assert!(words * 6 + 1_000 < MAX_VALUES, "an object and its five fields are six values");
}

#[test]
fn a_body_must_be_an_object() {
    for body in ["[]", "1", "\"x\"", "null", "true"] {
        assert_refused(parse_strict(body.as_bytes()), ErrorCode::InvalidType, "");
    }
}

#[test]
fn the_error_for_a_nul_character_names_its_field() {
    for (body, param) in [
        (r#"{"a": "x\u0000"}"#, "a"),
        (r#"{"a": [{"b": ["", "\u0000"]}]}"#, "a[0].b[1]"),
        (r#"{"a": {"b\u0000": 1}}"#, "a"),
        (r#"{"\u0000": 1}"#, ""),
    ] {
        assert_refused(parse_strict(body.as_bytes()), ErrorCode::InvalidValue, param);
    }
    // An escaped backslash before `u0000` makes six harmless characters.
    assert!(parse_strict(br#"{"a": "\\u0000"}"#).is_ok());
}

#[test]
fn long_names_are_shortened_in_messages_and_paths() {
    let name = "k".repeat(100_000);
    let body = format!("{{\"{name}\": 1, \"{name}\": 2}}");
    assert!(parse_strict(body.as_bytes()).err().unwrap().message.len() < 300);
    let error = parse(&with(&format!("/{name}"), json!(1))).unwrap_err();
    assert!(error.param.unwrap().len() < 300);
}

#[test]
fn a_transcript_at_every_limit_is_read() {
    let item = r#"{"text":"Hello there.","start":1.5,"end":2.5,"speaker":"A"}"#;
    let items = vec![item; 100_000].join(",");
    let text = "a".repeat(10_000_000);
    let body = format!(
        r#"{{"processing":{{"summary":{{}}}},"transcript":{{"text":"{text}","segments":[{items}],"utterances":[{items}]}}}}"#
    );
    let request = AnalysisRequest::parse(parse_strict(body.as_bytes()).unwrap()).unwrap();
    assert_eq!(request.transcript.unwrap().utterances.len(), 100_000);
}
