//! The form of a task's answer.

use serde_json::{Value, json};

use super::tasks::{one_task, refused_at};
use super::*;
use crate::request::task::TextFormat;

#[test]
fn the_text_format_is_plain_text_unless_asked_otherwise() {
    let format = |text: Option<Value>| {
        let body = text.map_or_else(|| one_task("model", json!("m")), |text| one_task("text", text));
        accepted(body).processing.tasks.remove(1).format
    };
    assert_eq!(format(None), TextFormat::Text);
    assert_eq!(format(Some(json!({"format": {"type": "text"}}))), TextFormat::Text);
}

#[test]
fn a_text_format_has_a_known_type_and_no_unknown_fields() {
    refused_at("text", json!({}), ErrorCode::MissingRequiredParameter, ".format");
    refused_at("text", json!({"format": {}}), ErrorCode::MissingRequiredParameter, ".format.type");
    refused_at("text", json!({"format": {"type": "xml"}}), ErrorCode::InvalidValue, ".format.type");
    refused_at("text", json!({"format": {"type": 1}}), ErrorCode::InvalidType, ".format.type");
    refused_at("text", json!({"format": "text"}), ErrorCode::InvalidType, ".format");
    let extra = json!({"format": {"type": "text", "name": "n"}});
    refused_at("text", extra, ErrorCode::UnknownParameter, ".format.name");
    refused_at("text", json!({"format": {"type": "text"}, "x": 1}), ErrorCode::UnknownParameter, ".x");
}

fn schema_format(field: &str, value: Value) -> Value {
    let mut format = json!({"type": "json_schema", "name": "n", "schema": {"type": "object"}});
    format[field] = value;
    json!({"format": format})
}

#[test]
fn a_json_schema_format_is_strict_by_default() {
    let task = accepted(one_task("text", schema_format("name", json!("n")))).processing.tasks.remove(1);
    let TextFormat::JsonSchema(format) = task.format else {
        panic!("no schema");
    };
    assert!(format.strict);
    accepted(one_task("text", schema_format("strict", json!(false))));
    refused_at("text", schema_format("strict", json!("no")), ErrorCode::InvalidType, ".format.strict");
}

#[test]
fn a_schema_name_has_1_to_64_plain_characters() {
    for good in ["A-b_C9", &"n".repeat(64)] {
        accepted(one_task("text", schema_format("name", json!(good))));
    }
    for bad in ["a b", "é", "a.b"] {
        refused_at("text", schema_format("name", json!(bad)), ErrorCode::InvalidValue, ".format.name");
    }
    refused_at("text", schema_format("name", json!("")), ErrorCode::ValueTooShort, ".format.name");
    refused_at("text", schema_format("name", json!("n".repeat(65))), ErrorCode::ValueTooLong, ".format.name");
}

#[test]
fn name_and_schema_are_required() {
    let format = json!({"format": {"type": "json_schema", "schema": {}}});
    refused_at("text", format, ErrorCode::MissingRequiredParameter, ".format.name");
    let format = json!({"format": {"type": "json_schema", "name": "n"}});
    refused_at("text", format, ErrorCode::MissingRequiredParameter, ".format.schema");
}

#[test]
fn a_bad_schema_is_refused_at_request_time() {
    refused_at(
        "text",
        schema_format("schema", json!({"type": "x"})),
        ErrorCode::InvalidJsonSchema,
        ".format.schema",
    );
    refused_at(
        "text",
        schema_format("schema", json!({"enum": []})),
        ErrorCode::InvalidJsonSchema,
        ".format.schema",
    );
    refused_at("text", schema_format("schema", json!(false)), ErrorCode::InvalidType, ".format.schema");
}

#[test]
fn a_description_has_1000_characters_at_most() {
    accepted(one_task("text", schema_format("description", json!("é".repeat(1000)))));
    let long = schema_format("description", json!("d".repeat(1001)));
    refused_at("text", long, ErrorCode::ValueTooLong, ".format.description");
}
