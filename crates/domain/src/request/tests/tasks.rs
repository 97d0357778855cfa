//! Tests of the tasks of an analysis request.

use serde_json::{Value, json};

use super::*;
use crate::step::spec::{Effort, StepSpec, TaskSpec};

/// A body with two tasks: `first`, and one with the given field.
pub(super) fn one_task(field: &str, value: Value) -> Value {
    let mut task = json!({"id": "a", "model": "m"});
    task[field] = value;
    with("/processing/tasks", json!([{"id": "first", "model": "m"}, task]))
}

fn accepted_tasks(body: Value) -> Vec<TaskSpec> {
    let tasks = accepted(body).processing.steps.into_iter().filter_map(|step| match step.spec {
        StepSpec::Task(task) => Some(*task),
        StepSpec::Transcription(_) | StepSpec::Diarization(_) | StepSpec::Stage(_) => None,
    });
    tasks.collect()
}

/// The second task of a body made by `one_task`.
#[track_caller]
pub(super) fn accepted_task(body: Value) -> TaskSpec {
    accepted_tasks(body).remove(1)
}

#[track_caller]
pub(super) fn refused_at(field: &str, value: Value, code: ErrorCode, inner: &str) {
    refused(one_task(field, value), code, &format!("processing.tasks[1].{field}{inner}"));
}

#[test]
fn a_task_requires_an_id_and_a_model() {
    let body = |task: Value| with("/processing/tasks", json!([task]));
    refused(body(json!({"model": "m"})), ErrorCode::MissingRequiredParameter, "processing.tasks[0].id");
    refused(body(json!({"id": "a"})), ErrorCode::MissingRequiredParameter, "processing.tasks[0].model");
    refused(body(json!("a")), ErrorCode::InvalidType, "processing.tasks[0]");
    refused(one_task("prompt", json!("x")), ErrorCode::UnknownParameter, "processing.tasks[1].prompt");
}

#[test]
fn there_are_at_most_16_tasks() {
    let tasks = |count: usize| -> Value {
        (0..count).map(|index| json!({"id": format!("t{index}"), "model": "m"})).collect()
    };
    assert_eq!(accepted_tasks(with("/processing/tasks", tasks(16))).len(), 16);
    refused(with("/processing/tasks", tasks(17)), ErrorCode::TooManyItems, "processing.tasks");
    refused(with("/processing/tasks", json!({})), ErrorCode::InvalidType, "processing.tasks");
}

#[test]
fn a_task_id_starts_with_a_lowercase_letter() {
    for valid in ["a", "a-b_c9", &"a".repeat(64)] {
        accepted(one_task("id", json!(valid)));
    }
    for invalid in ["9a", "Aa", "a b", "-a", "_a", "é", "aB", "a/b"] {
        refused_at("id", json!(invalid), ErrorCode::InvalidValue, "");
    }
    refused_at("id", json!(""), ErrorCode::ValueTooShort, "");
    refused_at("id", json!("a".repeat(65)), ErrorCode::ValueTooLong, "");
    refused_at("id", json!(null), ErrorCode::InvalidType, "");
}

#[test]
fn two_tasks_cannot_share_an_id() {
    refused_at("id", json!("first"), ErrorCode::DuplicateTaskId, "");
}

#[test]
fn a_task_model_has_1_to_100_characters() {
    accepted(one_task("model", json!("m".repeat(100))));
    refused_at("model", json!(""), ErrorCode::ValueTooShort, "");
    refused_at("model", json!("m".repeat(101)), ErrorCode::ValueTooLong, "");
}

#[test]
fn instructions_have_1_to_20000_characters() {
    accepted(one_task("instructions", json!("é".repeat(20_000))));
    refused_at("instructions", json!(""), ErrorCode::ValueTooShort, "");
    refused_at("instructions", json!("é".repeat(20_001)), ErrorCode::ValueTooLong, "");
    refused_at("instructions", json!(null), ErrorCode::InvalidType, "");
}

#[test]
fn max_output_tokens_is_from_1_to_131072() {
    for valid in [json!(1), json!(131_072), json!(5.0)] {
        accepted(one_task("max_output_tokens", valid));
    }
    for outside in [json!(0), json!(131_073), json!(u64::MAX), json!(i64::MIN)] {
        refused_at("max_output_tokens", outside, ErrorCode::InvalidValue, "");
    }
    refused_at("max_output_tokens", json!(1.5), ErrorCode::InvalidType, "");
    refused_at("max_output_tokens", json!("1"), ErrorCode::InvalidType, "");
}

#[test]
fn temperature_is_from_0_to_2() {
    for valid in [json!(0), json!(2), json!(0.7), json!(2.0)] {
        accepted(one_task("temperature", valid));
    }
    refused_at("temperature", json!(-0.001), ErrorCode::InvalidValue, "");
    refused_at("temperature", json!(2.001), ErrorCode::InvalidValue, "");
    refused_at("temperature", json!("1"), ErrorCode::InvalidType, "");
    refused_at("temperature", json!(null), ErrorCode::InvalidType, "");
}

#[test]
fn reasoning_requires_a_known_effort() {
    for effort in ["none", "minimal", "low", "medium", "high", "xhigh"] {
        accepted(one_task("reasoning", json!({"effort": effort})));
    }
    let task = accepted_task(one_task("reasoning", json!({"effort": "xhigh"})));
    assert_eq!(task.reasoning.map(|reasoning| reasoning.effort), Some(Effort::Xhigh));
    refused_at("reasoning", json!({}), ErrorCode::MissingRequiredParameter, ".effort");
    refused_at("reasoning", json!({"effort": "max"}), ErrorCode::InvalidValue, ".effort");
    refused_at("reasoning", json!({"effort": null}), ErrorCode::InvalidType, ".effort");
    refused_at("reasoning", json!({"effort": "low", "x": 1}), ErrorCode::UnknownParameter, ".x");
    refused_at("reasoning", json!("low"), ErrorCode::InvalidType, "");
}

#[test]
fn there_are_1_to_16_sources() {
    accepted(one_task("sources", json!(vec!["#/transcript/text"; 16])));
    refused_at("sources", json!([]), ErrorCode::ValueTooShort, "");
    refused_at("sources", json!(vec!["#/transcript/text"; 17]), ErrorCode::TooManyItems, "");
    refused_at("sources", json!("#/transcript"), ErrorCode::InvalidType, "");
    refused_at("sources", json!([null]), ErrorCode::InvalidType, "[0]");
}

#[test]
fn a_source_is_a_reference_of_3_to_512_characters() {
    let longest = format!("#/{}", "a".repeat(510));
    for valid in ["#/a", "#/a~0b/c~1d", "#/tasks/a/json/items/0", &longest] {
        accepted(one_task("sources", json!([valid])));
    }
    for invalid in ["abc", "/a/b", "##/a", "#/a~2", "#/a~", "#/a//b", "#/a/", "#a/b"] {
        refused_at("sources", json!(["#/a", invalid]), ErrorCode::InvalidValue, "[1]");
    }
    refused_at("sources", json!(["#/"]), ErrorCode::ValueTooShort, "[0]");
    refused_at("sources", json!([format!("{longest}a")]), ErrorCode::ValueTooLong, "[0]");
}
