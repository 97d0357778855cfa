//! Answers with a JSON Schema: every answer matches the schema, unless it is truncated.

use auris_domain::request::schema::validate;
use auris_domain::step::spec::{JsonSchema, TextFormat};
use auris_engines::{Engines, TaskRequest, TextWork};
use serde_json::{Value, json};

use super::{LARGE, SMALL, engines, json_task, run, task_output};

/// Fifty schemas: nested, arrays, enums, numbers with bounds, optional fields, alternatives, references.
fn schemas() -> Vec<Value> {
    let schemas: Value = serde_json::from_str(include_str!("schemas.json")).unwrap();
    schemas.as_array().unwrap().clone()
}

/// Whether the answer is complete. Checks that a complete answer matches the schema.
fn is_complete(engines: &Engines, model: &str, task: TaskRequest) -> bool {
    let TextFormat::JsonSchema(JsonSchema { schema, .. }) = task.spec.answer.format.clone() else {
        panic!("the task has no schema")
    };
    let temperature = task.spec.temperature;
    let answer = run(engines, model, TextWork::Task(Box::new(task))).unwrap();
    if answer.truncated {
        return false;
    }
    let output = task_output(&answer);
    let valid = validate(&schema, &output.json);
    assert!(valid.is_ok(), "{valid:?} at {temperature:?}: {schema}\n{}", output.text);
    true
}

#[test]
fn there_are_fifty_schemas() {
    assert_eq!(schemas().len(), 50);
}

#[test]
fn answers_match_their_schemas_at_any_temperature() {
    let (_folder, engines) = engines();
    let sample: Vec<Value> = schemas().into_iter().step_by(13).collect();
    for temperature in [0.0, 1.0] {
        let tasks = sample.iter().map(|schema| json_task(schema.clone(), temperature, 96));
        let complete = tasks.filter(|task| is_complete(&engines, SMALL, task.clone())).count();
        assert!(complete * 2 > sample.len(), "{complete} of {} complete at {temperature}", sample.len());
    }
}

#[test]
fn without_strict_the_schema_is_only_part_of_the_prompt() {
    let (_folder, engines) = engines();
    let mut task = json_task(json!({"type": "object", "required": ["xyzzy"]}), 0.0, 16);
    if let TextFormat::JsonSchema(wanted) = &mut task.spec.answer.format {
        wanted.strict = false;
    }
    let answer = run(&engines, SMALL, TextWork::Task(Box::new(task))).unwrap();
    assert!(!task_output(&answer).text.starts_with("{\"xyzzy\""));
}

/// Checks all fifty schemas with the model in `AURIS_SOAK_LANGUAGE`, for `scripts/soak --long`.
fn soak(temperature: f64) {
    let model = match std::env::var("AURIS_SOAK_LANGUAGE") {
        Ok(model) if model == LARGE => LARGE,
        Ok(model) if model == SMALL => SMALL,
        Ok(other) => panic!("AURIS_SOAK_LANGUAGE is `{other}`; use {LARGE} or {SMALL}"),
        Err(_) => return,
    };
    let (_folder, engines) = engines();
    let mut truncated = Vec::new();
    for (number, schema) in schemas().iter().enumerate() {
        let complete = is_complete(&engines, model, json_task(schema.clone(), temperature, 512));
        eprintln!(
            "{model} at {temperature}: schema {number} {}",
            if complete { "matched" } else { "truncated at 512 tokens" }
        );
        if !complete {
            truncated.push(number);
        }
    }
    assert!(model == SMALL || truncated.is_empty(), "truncated: {truncated:?}");
}

#[test]
fn soak_all_schemas_at_temperature_0() {
    soak(0.0);
}

#[test]
fn soak_all_schemas_at_temperature_1() {
    soak(1.0);
}
