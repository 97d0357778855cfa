//! Tests of an analysis that is requested together with a transcription.

use serde_json::json;

use super::super::{FollowUpRequest, ResponseFormat, TranscriptionRequest, fingerprint};
use super::*;
use crate::id::JobId;
use crate::metadata::Metadata;
use crate::time::Millis;

fn follow_up(body: &Value) -> Checked<FollowUpRequest> {
    parsed(&body.to_string())
}

fn parsed(text: &str) -> Checked<FollowUpRequest> {
    FollowUpRequest::parse(text, &transcription(true))
}

fn transcription(asynchronous: bool) -> TranscriptionRequest {
    TranscriptionRequest {
        model: "m".into(),
        asynchronous,
        language: None,
        prompt: None,
        response_format: ResponseFormat::Json,
        stream: false,
        webhook_url: None,
        metadata: Metadata::default(),
    }
}

#[test]
fn the_body_for_a_job_is_a_request_for_its_analysis() {
    let job = JobId::generate(Millis(1));
    for text in [
        r#"{"processing":{"summary":{}},"metadata":{"a":"b"}}"#,
        " { \"metadata\" : {\"a\": \"b\"}, \"processing\" : {\"summary\": {}} } ",
    ] {
        let body = parsed(text).unwrap().for_job(&job);
        let request = AnalysisRequest::parse(RawJson::whole(&body).unwrap()).unwrap();
        assert_eq!(request.job_id, Some(job.clone()));
        assert_eq!(request.metadata.0["a"], "b");
        assert!(!request.waits());
    }
}

#[test]
fn diarization_is_allowed_because_there_is_audio() {
    follow_up(&json!({"processing": {"diarization": {}}})).unwrap();
}

#[test]
fn the_input_of_the_analysis_cannot_be_set() {
    for (field, value) in [
        ("job_id", json!("job_00000000000000000000")),
        ("transcript", json!({"text": "Hello."})),
        ("async", json!(true)),
    ] {
        let mut body = json!({"processing": {"summary": {}}});
        body[field] = value;
        assert_refused(follow_up(&body), ErrorCode::UnknownParameter, &format!("analysis.{field}"));
    }
}

#[test]
fn errors_name_the_field_of_the_form() {
    let wrong = follow_up(&json!({"processing": {"summary": {"length": 7}}}));
    let error = wrong.unwrap_err();
    let param = error.param.clone().unwrap();
    assert!(param.starts_with("analysis.processing.summary"), "{param}");
    assert!(error.message.contains(&format!("`{param}`")), "{}", error.message);
    assert_refused(follow_up(&json!({})), ErrorCode::MissingRequiredParameter, "analysis.processing");
    assert_refused(follow_up(&json!({"x": 1})), ErrorCode::MissingRequiredParameter, "analysis.processing");
    assert_refused(follow_up(&json!([])), ErrorCode::InvalidType, "analysis");
    for text in ["", "{", "{\"processing\":{},\"processing\":{}}", "{} {}"] {
        let error = parsed(text).unwrap_err();
        assert!(error.param.unwrap().starts_with("analysis"), "{text}");
        assert!(!error.message.contains("The body"), "{}", error.message);
    }
}

#[test]
fn only_an_asynchronous_transcription_has_a_follow_up() {
    let text = json!({"processing": {"summary": {}}}).to_string();
    FollowUpRequest::parse(&text, &transcription(true)).unwrap();
    let refused = FollowUpRequest::parse(&text, &transcription(false));
    assert_refused(refused, ErrorCode::InvalidCombination, "analysis");
}

#[test]
fn the_fingerprint_of_an_upload_covers_its_follow_up() {
    let upload = transcription(true);
    let print = |analysis: Option<&FollowUpRequest>| fingerprint::upload(&upload, "aa", analysis);
    let [one, same, other] = [
        r#"{"processing":{"summary":{},"topics":{}}}"#,
        r#"{ "processing": {"topics": {}, "summary": {}} }"#,
        r#"{"processing":{"summary":{}}}"#,
    ]
    .map(|text| parsed(text).unwrap());
    // As it was before there were follow-ups: it is stored.
    assert_eq!(print(None), fingerprint::of_value(&json!({"request": upload, "file": "aa"})));
    assert_eq!(print(Some(&one)), print(Some(&same)));
    assert_ne!(print(Some(&one)), print(Some(&other)));
    assert_ne!(print(Some(&one)), print(None));
}
