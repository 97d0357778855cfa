//! Answers by JSON Schema: whatever the model, what it writes is JSON of the schema, or was cut.

use auris_domain::request::schema::validate;
use auris_engines::TextOperation;
use serde_json::{Value, json};

use super::{LARGE, SMALL, engines, json_task, run};

/// Fifty schemas: nested, arrays, enums, numbers with bounds, optional fields, alternatives, references.
fn schemas() -> Vec<Value> {
    let schemas: Value = serde_json::from_str(include_str!("schemas.json")).unwrap();
    schemas.as_array().unwrap().clone()
}

#[derive(Default)]
struct Count {
    whole: usize,
    cut: usize,
}

fn ask_all(model: &str, schemas: &[Value], temperature: f64, tokens: u32) -> Count {
    let (_folder, engines) = engines();
    let mut count = Count::default();
    for (number, schema) in schemas.iter().enumerate() {
        let task = json_task(schema.clone(), temperature, tokens);
        let answer = run(&engines, model, TextOperation::Task(Box::new(task))).unwrap();
        if answer.response["finish_reason"] == "length" {
            count.cut += 1;
            continue;
        }
        let valid = validate(schema, &answer.output["json"]);
        assert!(valid.is_ok(), "schema {number} at {temperature}: {valid:?}\n{}", answer.output["text"]);
        count.whole += 1;
    }
    count
}

#[test]
fn there_are_fifty_schemas() {
    assert_eq!(schemas().len(), 50);
}

#[test]
fn a_handful_of_schemas_is_met_at_any_temperature() {
    let handful: Vec<Value> = schemas().into_iter().step_by(13).collect();
    for temperature in [0.0, 1.0] {
        let count = ask_all(SMALL, &handful, temperature, 96);
        assert!(count.whole * 2 > handful.len(), "{} whole, {} cut", count.whole, count.cut);
    }
}

#[test]
fn without_strict_the_model_is_only_told() {
    let (_folder, engines) = engines();
    let mut task = json_task(json!({"type": "object", "required": ["xyzzy"]}), 0.0, 16);
    if let auris_engines::TaskFormat::JsonSchema { strict, .. } = &mut task.format {
        *strict = false;
    }
    let answer = run(&engines, SMALL, TextOperation::Task(Box::new(task))).unwrap();
    assert!(!answer.output["text"].as_str().unwrap().starts_with("{\"xyzzy\""));
}

/// For `scripts/soak --long`: all fifty with the model that `AURIS_SOAK_LANGUAGE` names, at both temperatures.
#[test]
fn soak_all_schemas_are_met() {
    let model = match std::env::var("AURIS_SOAK_LANGUAGE") {
        Ok(model) if model == LARGE => LARGE,
        Ok(model) if model == SMALL => SMALL,
        Ok(other) => panic!("AURIS_SOAK_LANGUAGE is `{other}`; say {LARGE} or {SMALL}"),
        Err(_) => return,
    };
    for temperature in [0.0, 1.0] {
        let count = ask_all(model, &schemas(), temperature, 512);
        eprintln!(
            "{model} at temperature {temperature}: {} whole, {} cut at 512 tokens",
            count.whole, count.cut
        );
        assert!(model == SMALL || count.cut == 0);
    }
}
