//! Tests of the form of a transcription.

use super::*;
use crate::limits;
use crate::request::transcription::{check_file, file_limit};
use crate::request::{ResponseFormat, TranscriptionFields, TranscriptionRequest, fingerprint};

fn form(parts: &[(&str, &str)]) -> Checked<TranscriptionRequest> {
    let mut fields = TranscriptionFields::default();
    for (name, value) in parts {
        fields.set(name, value.as_bytes())?;
    }
    fields.finish()
}

/// The form with a model and these parts.
fn with_model(parts: &[(&str, &str)]) -> Checked<TranscriptionRequest> {
    let mut all = vec![("model", "m")];
    all.extend(parts);
    form(&all)
}

#[test]
fn a_minimal_form_has_the_defaults() {
    let request = with_model(&[]).unwrap();
    assert!(!request.asynchronous && !request.stream);
    assert_eq!(request.response_format, ResponseFormat::Json);
    assert_eq!((request.language, request.prompt, request.webhook_url), (None, None, None));
}

#[test]
fn a_spelled_out_default_is_the_same_request_as_one_left_out() {
    let spelled_out =
        [("async", "false"), ("language", ""), ("prompt", ""), ("response_format", "json"), ("stream", "0")];
    let print = |request: Checked<TranscriptionRequest>| fingerprint::upload(&request.unwrap(), "aa", None);
    assert_eq!(print(with_model(&spelled_out)), print(with_model(&[])));
    assert_ne!(print(with_model(&[("response_format", "text")])), print(with_model(&[])));
}

#[test]
fn the_model_is_required() {
    assert_refused(form(&[]), ErrorCode::MissingRequiredParameter, "model");
    assert_refused(form(&[("model", "")]), ErrorCode::MissingRequiredParameter, "model");
    assert!(form(&[("model", &"m".repeat(1000))]).is_ok());
    assert_refused(form(&[("model", &"m".repeat(1001))]), ErrorCode::ValueTooLong, "model");
}

#[test]
fn booleans_are_true_false_1_or_0_in_any_case() {
    for (text, expected) in
        [("true", true), ("TRUE", true), ("1", true), ("false", false), ("False", false), ("0", false)]
    {
        assert_eq!(with_model(&[("async", text)]).unwrap().asynchronous, expected);
        assert_eq!(with_model(&[("stream", text)]).unwrap().stream, expected);
    }
    for text in ["", "yes", "on", "2", " true"] {
        assert_refused(with_model(&[("async", text)]), ErrorCode::InvalidValue, "async");
        assert_refused(with_model(&[("stream", text)]), ErrorCode::InvalidValue, "stream");
    }
}

#[test]
fn a_language_is_an_iso_639_code_or_a_bcp_47_tag() {
    for (text, primary) in [("en", "en"), ("EN", "en"), ("pt-BR", "pt"), ("zh-Hant-TW", "zh"), ("yue", "yue")]
    {
        assert_eq!(with_model(&[("language", text)]).unwrap().primary_language().as_deref(), Some(primary));
    }
    assert_eq!(with_model(&[("language", "")]).unwrap().language, None);
    assert!(with_model(&[("language", "aaaaaaaa-bbbbbbb")]).is_ok());
    assert_refused(with_model(&[("language", "aaaaaaaa-bbbbbbbb")]), ErrorCode::ValueTooLong, "language");
    for text in ["e", "e1", "en_US", "en-", "-en", "en--us", "é", "en us"] {
        assert_refused(with_model(&[("language", text)]), ErrorCode::InvalidValue, "language");
    }
}

#[test]
fn a_prompt_has_at_most_4000_characters() {
    assert!(with_model(&[("prompt", &"é".repeat(4000))]).is_ok());
    assert_refused(with_model(&[("prompt", &"p".repeat(4001))]), ErrorCode::ValueTooLong, "prompt");
}

#[test]
fn the_response_format_is_json_or_text() {
    assert_eq!(with_model(&[("response_format", "text")]).unwrap().response_format, ResponseFormat::Text);
    for text in ["", "srt", "JSON", "verbose_json"] {
        assert_refused(with_model(&[("response_format", text)]), ErrorCode::InvalidValue, "response_format");
    }
}

#[test]
fn a_stream_cannot_be_asynchronous() {
    let both = with_model(&[("stream", "true"), ("async", "true")]);
    assert_refused(both, ErrorCode::InvalidCombination, "stream");
}

#[test]
fn a_webhook_requires_an_asynchronous_request() {
    let url = ("webhook_url", "http://127.0.0.1:9/hook");
    assert!(with_model(&[url, ("async", "true")]).is_ok());
    assert_refused(with_model(&[url]), ErrorCode::InvalidCombination, "webhook_url");
    let bad = with_model(&[("webhook_url", "ftp://127.0.0.1/"), ("async", "true")]);
    assert_refused(bad, ErrorCode::InvalidWebhookUrl, "webhook_url");
}

#[test]
fn unknown_parts_are_ignored_and_known_ones_can_be_given_only_once() {
    assert!(
        with_model(&[("temperature", "0"), ("timestamp_granularities[]", "word"), ("temperature", "1")])
            .is_ok()
    );
    assert_refused(with_model(&[("model", "n")]), ErrorCode::InvalidValue, "model");
    assert_refused(with_model(&[("async", "1"), ("async", "1")]), ErrorCode::InvalidValue, "async");
}

#[test]
fn invalid_utf8_and_nul_are_refused() {
    let mut fields = TranscriptionFields::default();
    for name in ["model", "async", "language", "prompt", "response_format", "stream", "webhook_url"] {
        assert_refused(fields.set(name, b"\xff"), ErrorCode::InvalidValue, name);
        assert_refused(fields.set(name, b"a\0"), ErrorCode::InvalidValue, name);
    }
    assert!(fields.set("unknown", b"\xff\0").is_ok());
}

#[test]
fn a_file_is_required_and_has_a_size_limit() {
    assert_refused(check_file(None, false), ErrorCode::MissingRequiredParameter, "file");
    assert_refused(check_file(Some(0), true), ErrorCode::EmptyFile, "file");
    for (asynchronous, limit) in [(false, limits::SYNC_FILE_BYTES), (true, limits::ASYNC_FILE_BYTES)] {
        assert!(check_file(Some(limit), asynchronous).is_ok());
        assert_refused(check_file(Some(limit + 1), asynchronous), ErrorCode::FileTooLarge, "file");
    }
    let advice = check_file(Some(limits::ASYNC_FILE_BYTES), false).unwrap_err().message;
    assert!(advice.contains("send async=true for files up to 95 MB"));
}

#[test]
fn the_larger_file_limit_applies_until_async_is_known() {
    let mut fields = TranscriptionFields::default();
    assert_eq!(file_limit(fields.asynchronous()), limits::ASYNC_FILE_BYTES);
    fields.set("async", b"false").unwrap();
    assert_eq!(file_limit(fields.asynchronous()), limits::SYNC_FILE_BYTES);
}
