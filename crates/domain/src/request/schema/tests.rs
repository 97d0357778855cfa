//! Tests of schemas that are accepted and schemas that are refused.

use serde_json::{Value, json};

use super::*;

pub(super) fn refusal(schema: Value) -> Option<ErrorCode> {
    let text = schema.to_string();
    read(&Path::Root.field("schema"), RawJson::whole(&text).unwrap()).err().map(|error| {
        assert_eq!(error.param.as_deref(), Some("schema"));
        error.code
    })
}

#[test]
fn usable_schemas_of_several_drafts_are_accepted() {
    for schema in [
        json!({}),
        json!({"type": "object", "properties": {"items": {"type": "array", "items": {"type": "string"}}}}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "string"}),
        json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": "#/$defs/a", "$defs": {"a": true}}),
        json!({"type": "object", "properties": {"next": {"$ref": "#"}}}),
        json!({"minimum": 1, "maximum": 1, "type": "integer"}),
        // The bounds do not apply to strings, so a string matches.
        json!({"minimum": 2, "maximum": 1}),
        json!({"anyOf": [false, {"type": "string"}]}),
    ] {
        assert_eq!(refusal(schema.clone()), None, "{schema}");
    }
}

#[test]
fn invalid_schemas_are_refused() {
    for schema in [
        json!({"type": "strng"}),
        json!({"type": 5}),
        json!({"pattern": "("}),
        json!({"$ref": "#/$defs/nowhere"}),
        json!({"$schema": "https://example.com/unknown"}),
    ] {
        assert_eq!(refusal(schema.clone()), Some(ErrorCode::InvalidJsonSchema), "{schema}");
    }
}

#[test]
fn nothing_outside_the_document_is_fetched() {
    for reference in ["https://example.com/a.json", "http://127.0.0.1:1/a.json", "file:///etc/passwd"] {
        assert_eq!(refusal(json!({"$ref": reference})), Some(ErrorCode::InvalidJsonSchema), "{reference}");
    }
}

#[test]
fn schemas_that_no_value_can_match_are_refused() {
    for schema in [
        json!({"type": "string", "enum": []}),
        json!({"type": "integer", "minimum": 2, "maximum": 1}),
        json!({"type": "string", "minLength": 2, "maxLength": 1}),
        json!({"not": {}}),
        json!({"not": true}),
        json!({"allOf": [true, false]}),
        json!({"anyOf": [false, {"enum": []}]}),
        json!({"type": "object", "properties": {"a": false}, "required": ["a"]}),
    ] {
        assert_eq!(refusal(schema.clone()), Some(ErrorCode::InvalidJsonSchema), "{schema}");
    }
}

#[test]
fn a_schema_that_is_not_an_object_has_the_wrong_type() {
    for schema in [json!(false), json!(true), json!(null), json!("object"), json!([])] {
        assert_eq!(refusal(schema), Some(ErrorCode::InvalidType));
    }
}

/// A chain in which every schema refers twice to the next.
fn doubling(levels: usize) -> Value {
    let mut definitions = serde_json::Map::from_iter([("a0".to_owned(), json!({"type": "object"}))]);
    for level in 1..=levels {
        let next = json!({"$ref": format!("#/$defs/a{}", level - 1)});
        definitions.insert(format!("a{level}"), json!({"allOf": [next, next]}));
    }
    json!({"properties": {"x": {"$ref": format!("#/$defs/a{levels}")}}, "$defs": definitions})
}

#[test]
fn references_that_multiply_are_refused() {
    assert_eq!(refusal(doubling(8)), None);
    assert_eq!(refusal(doubling(60)), Some(ErrorCode::InvalidJsonSchema));
}

#[test]
fn a_single_loop_of_references_is_accepted() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"anyOf": [{"type": "null"}, {"$ref": "#"}]}),
        json!({"$ref": "#here", "$defs": {"a": {"$anchor": "here", "properties": {"b": {"$ref": "#here"}}}}}),
    ] {
        assert_eq!(refusal(schema.clone()), None, "{schema}");
    }
}
