//! Tests of schemas that are accepted and schemas that are refused.

use serde_json::{Value, json};

use super::*;
use crate::request::check::Path;

pub(super) fn refusal(schema: Value) -> Option<ErrorCode> {
    let text = schema.to_string();
    let path = Path::Root.field("schema");
    let read = SchemaReader::default().read(&path, RawJson::whole(&text).unwrap());
    read.and_then(|schema| check("schema", &schema)).err().map(|error| {
        assert_eq!(error.param.as_deref(), Some("schema"));
        error.code
    })
}

/// Whether the schema is refused before anything is compiled.
fn is_refused_by_size(schema: &Value) -> bool {
    let text = schema.to_string();
    let raw = RawJson::whole(&text).unwrap();
    SchemaReader::default().read(&Path::Root.field("schema"), raw).is_err()
}

#[test]
fn the_same_schema_of_several_tasks_is_kept_once() {
    let reader = SchemaReader::default();
    let read = |text: &str| reader.read(&Path::Root, RawJson::whole(text).unwrap()).unwrap();
    let (one, same, other) = (read(r#"{"a": "\u0062"}"#), read(r#"{ "a":"b" }"#), read(r#"{"a":"c"}"#));
    assert_eq!((one.as_str(), other.as_str()), (r#"{"a":"b"}"#, r#"{"a":"c"}"#));
    assert!(std::ptr::eq(one.as_str(), same.as_str()));
}

#[test]
fn null_is_an_answer_only_if_the_schema_asks_for_it() {
    for (text, expected) in
        [(r#"{"a":1,"type":"null"}"#, true), (r#"{"type":["null"]}"#, false), ("{}", false), ("true", false)]
    {
        assert_eq!(asks_for_null(&SchemaText::from_checked(text)), expected, "{text}");
    }
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

#[test]
fn patterns_that_compile_to_megabytes_are_refused_before_they_are_compiled() {
    let patterns = |count: u64, letters: u64| {
        let field = |index: u64| {
            (
                format!("f{index}"),
                json!({"pattern": format!("^[\\w\\d\\p{{L}}X]{{{}}}$", letters + index % 15)}),
            )
        };
        json!({"properties": (0..count).map(field).collect::<serde_json::Map<_, _>>()})
    };
    assert!(is_refused_by_size(&patterns(15, 30)));
    assert_eq!(refusal(patterns(3, 30)), None);
    assert!(is_refused_by_size(&json!({"pattern": "\\s".repeat(1_000)})));
    assert_eq!(refusal(json!({"pattern": "^\\d+\\s\\w+$"})), None);
}

#[test]
fn an_answer_is_checked_with_the_schema_that_was_compiled_for_the_request() {
    let schema = json!({"type": "object", "required": ["only_in_this_test"]});
    assert_eq!(refusal(schema.clone()), None);
    let schema = SchemaText::of(&schema);
    let known = COMPILED.get(&schema, |_| Err(SchemaFault::Unusable("it was not kept".into())));
    assert!(known.is_ok());
    assert_eq!(validate(&schema, &json!({"only_in_this_test": 1})), Ok(()));
    assert!(matches!(validate(&schema, &json!({})), Err(SchemaFault::Unmet(_))));
}
