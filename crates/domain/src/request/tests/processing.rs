//! Tests of `processing`: its stages, its failure policy and its limit on the cost.

use serde_json::{Value, json};

use super::*;
use crate::job::FailurePolicy;
use crate::model::Capability;
use crate::step::spec::{Granularity, StepSpec, SummaryType, TextStage};

const STAGES: [&str; 8] =
    ["chapters", "diarization", "entities", "formatting", "key_phrases", "sentiment", "summary", "topics"];

/// A body with the options of one stage. It names a job, so that diarization has audio.
fn stage(name: &str, options: Value) -> Value {
    let mut body = with(&format!("/processing/{name}"), options);
    body["job_id"] = json!("job_00000000000000000000");
    body
}

/// The text stages of an accepted body.
fn text_stages(body: Value) -> Vec<TextStage> {
    let stages = accepted(body).processing.steps.into_iter().filter_map(|step| match step.spec {
        StepSpec::Stage(stage) => Some(stage),
        StepSpec::Transcription(_) | StepSpec::Diarization(_) | StepSpec::Task(_) => None,
    });
    stages.collect()
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
fn the_error_for_an_unknown_stage_names_it() {
    refused(
        with("/processing/translation", json!({})),
        ErrorCode::UnknownParameter,
        "processing.translation",
    );
    refused(with("/processing", json!([])), ErrorCode::InvalidType, "processing");
}

#[test]
fn processing_must_name_a_stage_or_task() {
    for processing in
        [json!({}), json!({"tasks": []}), json!({"failure_policy": "fail_fast", "max_cost_usd": "1"})]
    {
        refused(with("/processing", processing), ErrorCode::NothingToProcess, "processing");
    }
}

#[test]
fn the_number_of_speakers_is_from_1_to_100() {
    for field in ["min_speakers", "max_speakers"] {
        let param = format!("processing.diarization.{field}");
        for valid in [json!(1), json!(100), json!(3.0)] {
            accepted(stage("diarization", json!({field: valid})));
        }
        for outside in [json!(0), json!(101), json!(-1), json!(1e300)] {
            refused(stage("diarization", json!({field: outside})), ErrorCode::InvalidValue, &param);
        }
        for wrong in [json!(1.5), json!("1"), json!(null), json!(true)] {
            refused(stage("diarization", json!({field: wrong})), ErrorCode::InvalidType, &param);
        }
    }
}

#[test]
fn min_speakers_above_max_speakers_is_refused() {
    accepted(stage("diarization", json!({"min_speakers": 2, "max_speakers": 2})));
    let body = stage("diarization", json!({"min_speakers": 3, "max_speakers": 2}));
    refused(body, ErrorCode::InvalidCombination, "processing.diarization.min_speakers");
}

#[test]
fn there_are_at_most_64_entity_types() {
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
fn the_default_granularity_of_sentiment_is_the_document() {
    let granularity = |options| {
        let stages = text_stages(stage("sentiment", options));
        stages.iter().find_map(|stage| {
            if let TextStage::Sentiment(spec) = stage { Some(spec.granularity) } else { None }
        })
    };
    assert_eq!(granularity(json!({})), Some(Granularity::Document));
    assert_eq!(granularity(json!({"granularity": "document"})), Some(Granularity::Document));
    assert_eq!(granularity(json!({"granularity": "utterance"})), Some(Granularity::Utterance));
    let wrong = stage("sentiment", json!({"granularity": "word"}));
    refused(wrong, ErrorCode::InvalidValue, "processing.sentiment.granularity");
}

#[test]
fn the_default_summary_is_brief() {
    let kind = |options| {
        let stages = text_stages(stage("summary", options));
        stages.iter().find_map(
            |stage| {
                if let TextStage::Summary(spec) = stage { Some(spec.kind) } else { None }
            },
        )
    };
    assert_eq!(kind(json!({})), Some(SummaryType::Brief));
    assert_eq!(kind(json!({"type": "brief"})), Some(SummaryType::Brief));
    assert_eq!(kind(json!({"type": "bullets"})), Some(SummaryType::Bullets));
    assert_eq!(kind(json!({"type": "detailed"})), Some(SummaryType::Detailed));
    refused(stage("summary", json!({"type": "Brief"})), ErrorCode::InvalidValue, "processing.summary.type");
}

#[test]
fn the_error_for_an_unknown_value_lists_the_allowed_ones() {
    let error = parse(&stage("summary", json!({"type": "long"}))).unwrap_err();
    assert_eq!(
        error.message,
        "`processing.summary.type` must be one of `brief`, `bullets`, `detailed`, not `long`."
    );
}

#[test]
fn the_default_failure_policy_is_fail_fast() {
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
    for valid in ["0", "7.5", "0.1234567890", "1000000", &digits] {
        accepted(with("/processing/max_cost_usd", json!(valid)));
    }
    for invalid in ["", "01", "-1", "1.", ".5", "1e3", "0.12345678901", "+1", " 1"] {
        refused(
            with("/processing/max_cost_usd", json!(invalid)),
            ErrorCode::InvalidValue,
            "processing.max_cost_usd",
        );
    }
    refused(with("/processing/max_cost_usd", json!(1)), ErrorCode::InvalidType, "processing.max_cost_usd");
}

#[test]
fn the_callers_order_of_stages_is_kept() {
    let tasks = json!([{"id": "a", "model": "m"}]);
    let processing = json!({"topics": {}, "max_cost_usd": "1", "tasks": tasks, "chapters": {}});
    let steps = accepted(with("/processing", processing)).processing.steps;
    let order: Vec<Capability> = steps.iter().map(|step| step.spec.capability()).collect();
    assert_eq!(order, [Capability::Topics, Capability::Task, Capability::Chapters]);
}
