//! The tasks of an analysis request.

use serde_json::{Value, json};

use super::*;
use crate::request::task::Effort;

pub(super) fn one_task(field: &str, value: Value) -> Value {
    let mut task = json!({"id": "a", "model": "m"});
    task[field] = value;
    with("/processing/tasks", json!([{"id": "first", "model": "m"}, task]))
}

#[track_caller]
pub(super) fn refused_at(field: &str, value: Value, code: ErrorCode, inner: &str) {
    refused(one_task(field, value), code, &format!("processing.tasks[1].{field}{inner}"));
}

#[test]
fn a_task_needs_an_id_and_a_model() {
    let body = |task: Value| with("/processing/tasks", json!([task]));
    refused(body(json!({"model": "m"})), ErrorCode::MissingRequiredParameter, "processing.tasks[0].id");
    refused(body(json!({"id": "a"})), ErrorCode::MissingRequiredParameter, "processing.tasks[0].model");
    refused(body(json!("a")), ErrorCode::InvalidType, "processing.tasks[0]");
    refused(one_task("prompt", json!("x")), ErrorCode::UnknownParameter, "processing.tasks[1].prompt");
}

#[test]
fn there_are_sixteen_tasks_at_most() {
    let tasks = |count: usize| -> Value {
        (0..count).map(|index| json!({"id": format!("t{index}"), "model": "m"})).collect()
    };
    assert_eq!(accepted(with("/processing/tasks", tasks(16))).processing.tasks.len(), 16);
    refused(with("/processing/tasks", tasks(17)), ErrorCode::TooManyItems, "processing.tasks");
    refused(with("/processing/tasks", json!({})), ErrorCode::InvalidType, "processing.tasks");
}

#[test]
fn a_task_id_starts_with_a_lowercase_letter() {
    for good in ["a", "a-b_c9", &"a".repeat(64)] {
        accepted(one_task("id", json!(good)));
    }
    for bad in ["9a", "Aa", "a b", "-a", "_a", "é", "aB", "a/b"] {
        refused_at("id", json!(bad), ErrorCode::InvalidValue, "");
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
fn max_output_tokens_go_from_1_to_131072() {
    for good in [json!(1), json!(131_072), json!(5.0)] {
        accepted(one_task("max_output_tokens", good));
    }
    for beyond in [json!(0), json!(131_073), json!(u64::MAX), json!(i64::MIN)] {
        refused_at("max_output_tokens", beyond, ErrorCode::InvalidValue, "");
    }
    refused_at("max_output_tokens", json!(1.5), ErrorCode::InvalidType, "");
    refused_at("max_output_tokens", json!("1"), ErrorCode::InvalidType, "");
}

#[test]
fn temperature_goes_from_0_to_2() {
    for good in [json!(0), json!(2), json!(0.7), json!(2.0)] {
        accepted(one_task("temperature", good));
    }
    refused_at("temperature", json!(-0.001), ErrorCode::InvalidValue, "");
    refused_at("temperature", json!(2.001), ErrorCode::InvalidValue, "");
    refused_at("temperature", json!("1"), ErrorCode::InvalidType, "");
    refused_at("temperature", json!(null), ErrorCode::InvalidType, "");
}

#[test]
fn reasoning_needs_one_of_its_efforts() {
    for effort in ["none", "minimal", "low", "medium", "high", "xhigh"] {
        accepted(one_task("reasoning", json!({"effort": effort})));
    }
    let task = accepted(one_task("reasoning", json!({"effort": "xhigh"}))).processing.tasks.remove(1);
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
    for good in ["#/a", "#/a~0b/c~1d", "#/tasks/a/json/items/0", &longest] {
        accepted(one_task("sources", json!([good])));
    }
    for bad in ["abc", "/a/b", "##/a", "#/a~2", "#/a~", "#/a//b", "#/a/", "#a/b"] {
        refused_at("sources", json!(["#/a", bad]), ErrorCode::InvalidValue, "[1]");
    }
    refused_at("sources", json!(["#/"]), ErrorCode::ValueTooShort, "[0]");
    refused_at("sources", json!([format!("{longest}a")]), ErrorCode::ValueTooLong, "[0]");
}
