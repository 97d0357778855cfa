//! Tests of the `text` of a task: the form of its answer.

use serde_json::{Value, json};

use super::tasks::{accepted_task, one_task, refused_at};
use super::*;
use crate::step::spec::TextFormat;

#[test]
fn the_default_format_is_plain_text() {
    let format = |text: Option<Value>| {
        let body = text.map_or_else(|| one_task("model", json!("m")), |text| one_task("text", text));
        accepted_task(body).answer.format
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
    let task = accepted_task(one_task("text", schema_format("name", json!("n"))));
    let TextFormat::JsonSchema(format) = task.answer.format else {
        panic!("the format is plain text");
    };
    assert!(format.strict);
    accepted(one_task("text", schema_format("strict", json!(false))));
    refused_at("text", schema_format("strict", json!("no")), ErrorCode::InvalidType, ".format.strict");
}

#[test]
fn a_schema_name_has_1_to_64_plain_characters() {
    for valid in ["A-b_C9", &"n".repeat(64)] {
        accepted(one_task("text", schema_format("name", json!(valid))));
    }
    for invalid in ["a b", "é", "a.b"] {
        refused_at("text", schema_format("name", json!(invalid)), ErrorCode::InvalidValue, ".format.name");
    }
    refused_at("text", schema_format("name", json!("")), ErrorCode::ValueTooShort, ".format.name");
    refused_at("text", schema_format("name", json!("n".repeat(65))), ErrorCode::ValueTooLong, ".format.name");
}

#[test]
fn a_json_schema_format_requires_a_name_and_a_schema() {
    let format = json!({"format": {"type": "json_schema", "schema": {}}});
    refused_at("text", format, ErrorCode::MissingRequiredParameter, ".format.name");
    let format = json!({"format": {"type": "json_schema", "name": "n"}});
    refused_at("text", format, ErrorCode::MissingRequiredParameter, ".format.schema");
}

#[test]
fn an_unusable_schema_is_refused_with_the_request() {
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
fn a_description_has_at_most_1000_characters() {
    accepted(one_task("text", schema_format("description", json!("é".repeat(1000)))));
    let long = schema_format("description", json!("d".repeat(1001)));
    refused_at("text", long, ErrorCode::ValueTooLong, ".format.description");
}

/// A body with a task for each schema.
fn with_schemas(schemas: impl IntoIterator<Item = Value>) -> Value {
    let task = |(index, schema): (usize, Value)| json!({"id": format!("t{index}"), "model": "m", "text": schema_format("schema", schema)});
    with("/processing/tasks", schemas.into_iter().enumerate().map(task).collect())
}

/// A schema with one pattern that compiles to about two megabytes.
fn letters(count: usize) -> Value {
    json!({"type": "string", "pattern": format!("^[\\p{{L}}X]{{{count}}}$")})
}

#[test]
fn the_schemas_of_a_request_share_one_limit() {
    accepted(with_schemas((0..4).map(|index| letters(20 + index))));
    let too_many = with_schemas((0..16).map(|index| letters(30 + index)));
    refused(too_many.clone(), ErrorCode::InvalidJsonSchema, "processing.tasks[7].text.format.schema");
    // It is refused when the request is read, so nothing was compiled.
    let text = too_many.to_string();
    assert!(AnalysisRequest::parse(RawJson::whole(&text).unwrap()).is_err());
    let large = |index: usize| json!({"description": format!("{index}{}", "x".repeat(200_000))});
    refused(
        with_schemas((0..6).map(large)),
        ErrorCode::InvalidJsonSchema,
        "processing.tasks[5].text.format.schema",
    );
}

#[test]
fn a_schema_that_several_tasks_use_counts_once() {
    accepted(with_schemas((0..16).map(|_| letters(30))));
}

#[test]
fn a_schema_with_its_fields_in_another_order_counts_again() {
    let field = |index: usize| (format!("f{index}"), letters(30 + index));
    let one: serde_json::Map<String, Value> = (0..5).map(field).collect();
    let other: serde_json::Map<String, Value> = (0..5).rev().map(field).collect();
    let schemas = [one, other].map(|properties| json!({"properties": properties}));
    assert_eq!(schemas[0], schemas[1]);
    let param = "processing.tasks[1].text.format.schema";
    refused(with_schemas(schemas), ErrorCode::InvalidJsonSchema, param);
}

#[test]
fn an_unusable_schema_is_named_by_the_index_of_its_task() {
    let mut body = with_schemas([json!({}), json!({"type": "x"})]);
    body["processing"]["topics"] = json!({});
    refused(body, ErrorCode::InvalidJsonSchema, "processing.tasks[1].text.format.schema");
}
