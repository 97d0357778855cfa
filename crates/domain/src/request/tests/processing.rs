//! The stages and bounds of `processing`.

use serde_json::{Value, json};

use super::*;
use crate::job::FailurePolicy;
use crate::model::Capability;
use crate::request::processing::{Granularity, SummaryType};

const STAGES: [&str; 8] =
    ["chapters", "diarization", "entities", "formatting", "key_phrases", "sentiment", "summary", "topics"];

/// A body with one field of one stage, and a job, so that diarization has its audio.
fn stage(name: &str, options: Value) -> Value {
    let mut body = with(&format!("/processing/{name}"), options);
    body["job_id"] = json!("job_00000000000000000000");
    body
}

#[test]
fn every_stage_takes_a_model_of_1_to_100_characters() {
    for name in STAGES {
        accepted(stage(name, json!({})));
        accepted(stage(name, json!({"model": "é".repeat(100)})));
        let param = format!("processing.{name}.model");
        refused(stage(name, json!({"model": ""})), ErrorCode::ValueTooShort, &param);
        refused(stage(name, json!({"model": "m".repeat(101)})), ErrorCode::ValueTooLong, &param);
        refused(stage(name, json!({"model": null})), ErrorCode::InvalidType, &param);
    }
}

#[test]
fn every_stage_is_an_object_without_unknown_fields() {
    for name in STAGES {
        refused(stage(name, json!(true)), ErrorCode::InvalidType, &format!("processing.{name}"));
        refused(stage(name, Value::Null), ErrorCode::InvalidType, &format!("processing.{name}"));
        refused(stage(name, json!({"x": 1})), ErrorCode::UnknownParameter, &format!("processing.{name}.x"));
    }
}

#[test]
fn unknown_stages_are_named() {
    refused(
        with("/processing/translation", json!({})),
        ErrorCode::UnknownParameter,
        "processing.translation",
    );
    refused(with("/processing", json!([])), ErrorCode::InvalidType, "processing");
}

#[test]
fn processing_must_ask_for_something() {
    for processing in
        [json!({}), json!({"tasks": []}), json!({"failure_policy": "fail_fast", "max_cost_usd": "1"})]
    {
        refused(with("/processing", processing), ErrorCode::NothingToProcess, "processing");
    }
}

#[test]
fn speakers_are_counted_from_1_to_100() {
    for field in ["min_speakers", "max_speakers"] {
        let param = format!("processing.diarization.{field}");
        for good in [json!(1), json!(100), json!(3.0)] {
            accepted(stage("diarization", json!({field: good})));
        }
        for beyond in [json!(0), json!(101), json!(-1), json!(1e300)] {
            refused(stage("diarization", json!({field: beyond})), ErrorCode::InvalidValue, &param);
        }
        for wrong in [json!(1.5), json!("1"), json!(null), json!(true)] {
            refused(stage("diarization", json!({field: wrong})), ErrorCode::InvalidType, &param);
        }
    }
}

#[test]
fn fewer_speakers_at_most_than_at_least_is_refused() {
    accepted(stage("diarization", json!({"min_speakers": 2, "max_speakers": 2})));
    let body = stage("diarization", json!({"min_speakers": 3, "max_speakers": 2}));
    refused(body, ErrorCode::InvalidCombination, "processing.diarization.min_speakers");
}

#[test]
fn entity_types_are_64_texts_at_most() {
    let types = |count: usize| stage("entities", json!({"types": vec!["person"; count]}));
    accepted(types(64));
    accepted(types(0));
    refused(types(65), ErrorCode::TooManyItems, "processing.entities.types");
    let one = |text: String| stage("entities", json!({"types": ["place", text]}));
    accepted(one("t".repeat(64)));
    refused(one(String::new()), ErrorCode::ValueTooShort, "processing.entities.types[1]");
    refused(one("t".repeat(65)), ErrorCode::ValueTooLong, "processing.entities.types[1]");
    refused(stage("entities", json!({"types": [1]})), ErrorCode::InvalidType, "processing.entities.types[0]");
    refused(
        stage("entities", json!({"types": "person"})),
        ErrorCode::InvalidType,
        "processing.entities.types",
    );
}

#[test]
fn sentiment_is_of_the_document_unless_asked_by_utterance() {
    let granularity =
        |options| accepted(stage("sentiment", options)).processing.sentiment.unwrap().granularity;
    assert_eq!(granularity(json!({})), Granularity::Document);
    assert_eq!(granularity(json!({"granularity": "document"})), Granularity::Document);
    assert_eq!(granularity(json!({"granularity": "utterance"})), Granularity::Utterance);
    let wrong = stage("sentiment", json!({"granularity": "word"}));
    refused(wrong, ErrorCode::InvalidValue, "processing.sentiment.granularity");
}

#[test]
fn summaries_are_brief_unless_asked_otherwise() {
    let kind = |options| accepted(stage("summary", options)).processing.summary.unwrap().kind;
    assert_eq!(kind(json!({})), SummaryType::Brief);
    assert_eq!(kind(json!({"type": "brief"})), SummaryType::Brief);
    assert_eq!(kind(json!({"type": "bullets"})), SummaryType::Bullets);
    assert_eq!(kind(json!({"type": "detailed"})), SummaryType::Detailed);
    refused(stage("summary", json!({"type": "Brief"})), ErrorCode::InvalidValue, "processing.summary.type");
}

#[test]
fn an_enum_is_told_with_its_values() {
    let error = AnalysisRequest::parse(stage("summary", json!({"type": "long"}))).unwrap_err();
    assert_eq!(
        error.message,
        "`processing.summary.type` must be one of `brief`, `bullets`, `detailed`, not `long`."
    );
}

#[test]
fn the_failure_policy_is_fail_fast_unless_asked_otherwise() {
    let policy = |body| accepted(body).processing.failure_policy;
    assert_eq!(policy(minimal()), FailurePolicy::FailFast);
    let other = with("/processing/failure_policy", json!("continue_independent"));
    assert_eq!(policy(other), FailurePolicy::ContinueIndependent);
    refused(
        with("/processing/failure_policy", json!("x")),
        ErrorCode::InvalidValue,
        "processing.failure_policy",
    );
    refused(
        with("/processing/failure_policy", json!(1)),
        ErrorCode::InvalidType,
        "processing.failure_policy",
    );
}

#[test]
fn max_cost_is_a_plain_decimal() {
    let digits = "9".repeat(60);
    for good in ["0", "7.5", "0.1234567890", "1000000", &digits] {
        accepted(with("/processing/max_cost_usd", json!(good)));
    }
    for bad in ["", "01", "-1", "1.", ".5", "1e3", "0.12345678901", "+1", " 1"] {
        refused(
            with("/processing/max_cost_usd", json!(bad)),
            ErrorCode::InvalidValue,
            "processing.max_cost_usd",
        );
    }
    refused(with("/processing/max_cost_usd", json!(1)), ErrorCode::InvalidType, "processing.max_cost_usd");
}

#[test]
fn the_callers_order_of_stages_is_kept() {
    let body = with("/processing", json!({"topics": {}, "max_cost_usd": "1", "tasks": [], "chapters": {}}));
    let order = accepted(body).processing.order;
    assert_eq!(order, [Capability::Topics, Capability::Task, Capability::Chapters]);
}
