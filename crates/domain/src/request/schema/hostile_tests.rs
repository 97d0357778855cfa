//! Tests of schemas that try to overflow the stack, fill the memory or never finish.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::tests::refusal;
use super::*;

const REFUSED: Option<ErrorCode> = Some(ErrorCode::InvalidJsonSchema);

fn definitions(count: usize, definition: impl Fn(usize) -> Value) -> Value {
    Value::Object((0..count).map(|index| (format!("d{index}"), definition(index))).collect::<Map<_, _>>())
}

/// Definitions that each refer to the next one.
fn chain(links: usize, link: impl Fn(String) -> Value) -> Value {
    let definitions = definitions(links + 1, |index| {
        if index == links { json!({"type": "object"}) } else { link(format!("#/$defs/d{}", index + 1)) }
    });
    json!({"$ref": "#/$defs/d0", "$defs": definitions})
}

fn nested(levels: usize, inner: Value, wrap: impl Fn(Value) -> Value) -> Value {
    (0..levels).fold(inner, |value, _| wrap(value))
}

#[test]
fn a_chain_of_ten_thousand_references_is_refused() {
    assert_eq!(refusal(chain(10_000, |next| json!({"$ref": next}))), REFUSED);
}

#[test]
fn chains_are_followed_through_every_kind_of_reference() {
    let long = 7_000;
    assert_eq!(refusal(chain(long, |next| json!({"$ref": next}))), REFUSED);
    assert_eq!(refusal(chain(long, |next| json!({"$ref": next.replace('$', "%24")}))), REFUSED);
    assert_eq!(refusal(chain(3_000, |next| json!({"allOf": [{"$ref": next}]}))), REFUSED);
    assert_eq!(refusal(chain(3_000, |next| json!({"dependentSchemas": {"a": {"$ref": next}}}))), REFUSED);
    let anchored = |index| json!({"$anchor": format!("a{index}"), "$ref": format!("#a{}", index + 1)});
    let mut last = definitions(200, anchored);
    last["d199"] = json!({"$anchor": "a199"});
    assert_eq!(refusal(json!({"$ref": "#a0", "$defs": last})), REFUSED);
    let mut named = chain(200, |next| json!({"$ref": format!("https://example.com/a{next}")}));
    named["$id"] = json!("https://example.com/a");
    assert_eq!(refusal(named), REFUSED);
}

#[test]
fn chains_of_a_realistic_length_are_accepted() {
    assert_eq!(refusal(chain(100, |next| json!({"$ref": next}))), None);
    assert_eq!(refusal(chain(2_000, |next| json!({"properties": {"a": {"$ref": next}}}))), None);
}

#[test]
fn definitions_that_all_refer_to_each_other_are_accepted() {
    let definition = |_| {
        let fields = (0..40).map(|other| (format!("f{other}"), json!({"$ref": format!("#/$defs/d{other}")})));
        json!({"type": "object", "properties": fields.collect::<Map<_, _>>()})
    };
    let schema = json!({"$id": "Tree", "$ref": "Tree#/$defs/d0", "$defs": definitions(40, definition)});
    assert_eq!(refusal(schema), None);
}

#[test]
fn a_schema_above_the_size_limit_is_refused() {
    let padded = |characters: usize| json!({"description": "x".repeat(characters)});
    assert_eq!(refusal(padded(262_000)), None);
    assert_eq!(refusal(padded(263_000)), REFUSED);
}

#[test]
fn deep_nesting_is_refused_and_accepted_schemas_fit_on_the_stack() {
    assert_eq!(refusal(nested(129, json!({}), |inner| json!({"additionalProperties": inner}))), REFUSED);
    let deep = |next| nested(110, json!({"$ref": next}), |inner| json!({"additionalProperties": inner}));
    assert_eq!(refusal(chain(8, deep)), None);
}

#[test]
fn thousands_of_references_to_an_anchor_are_followed_quickly() {
    let items = vec![json!({"$ref": "#last"}); 12_000];
    let start = Instant::now();
    assert_eq!(refusal(json!({"prefixItems": items, "$defs": {"a": {"$anchor": "last"}}})), None);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn unevaluated_keywords_that_multiply_the_work_are_refused() {
    let level = |inner| json!({"unevaluatedProperties": false, "allOf": [inner]});
    assert_eq!(refusal(nested(3, json!({"properties": {"a": true}}), level)), None);
    assert_eq!(refusal(nested(25, json!({"properties": {"a": true}}), level)), REFUSED);
    let parts: Vec<Value> =
        (0..200).map(|index| json!({"properties": {format!("p{index}"): true}})).collect();
    let user = |_| json!({"$ref": "#/$defs/wide", "unevaluatedProperties": false});
    assert_eq!(
        refusal(json!({"properties": definitions(2_000, user), "$defs": {"wide": {"allOf": parts}}})),
        REFUSED
    );
}

#[test]
fn loops_within_loops_are_refused() {
    let every: Vec<Value> = (0..12).map(|other| json!({"$ref": format!("#/$defs/d{other}")})).collect();
    assert_eq!(
        refusal(json!({"$ref": "#/$defs/d0", "$defs": definitions(12, |_| json!({"anyOf": every}))})),
        REFUSED
    );
    let mut asking = chain(25, |next| json!({"$ref": next, "unevaluatedProperties": false}));
    asking["$defs"]["d25"] = json!({"$ref": "#/$defs/d25"});
    assert_eq!(refusal(asking), REFUSED);
}

#[test]
fn embedded_documents_are_refused() {
    // jsonschema practically never finishes with twelve documents that refer to each other.
    let inner = |index| {
        let fields = (0..12).map(|other| (format!("p{other}"), json!({"$ref": format!("r{other}")})));
        json!({"$id": format!("r{index}"), "properties": fields.collect::<Map<_, _>>()})
    };
    assert_eq!(refusal(json!({"$id": "http://x/", "$ref": "r0", "$defs": definitions(12, inner)})), REFUSED);
    let older = json!({"$schema": "http://json-schema.org/draft-07/schema#"});
    assert_eq!(refusal(json!({"properties": {"a": older}})), REFUSED);
    assert_eq!(refusal(json!({"properties": {"$id": {"type": "string"}, "id": {"const": "a"}}})), None);
    assert_eq!(refusal(json!({"examples": [{"id": "a"}], "$id": "https://example.com/a"})), None);
}

#[test]
fn too_many_patterns_are_refused() {
    let patterns = |count| definitions(count, |index| json!({"pattern": format!("^\\p{{L}}{{{index}}}$")}));
    assert_eq!(refusal(json!({"properties": patterns(20)})), None);
    assert_eq!(refusal(json!({"properties": patterns(65)})), REFUSED);
    let same = definitions(100, |_| json!({"pattern": "^[a-z]+$"}));
    assert_eq!(refusal(json!({"properties": same})), None);
}

#[test]
fn long_names_around_many_fields_are_refused() {
    let fields = definitions(4_000, |_| json!({"type": "string"}));
    assert_eq!(refusal(json!({"properties": {"x".repeat(100_000): {"properties": fields}}})), REFUSED);
}

#[test]
fn deeply_nested_answers_are_checked_through_long_chains() {
    let mut schema = chain(60, |next| json!({"allOf": [{"$ref": next}]}));
    schema["$defs"]["d60"] = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}});
    let schema = SchemaText::of(&schema);
    let good = nested(126, json!({}), |inner| json!({"a": inner}));
    assert_eq!(validate(&schema, &good), Ok(()));
    let bad = nested(126, json!("secret"), |inner| json!({"a": inner}));
    let Err(SchemaFault::Unmet(reason)) = validate(&schema, &bad) else { panic!("accepted") };
    assert!(reason.contains("/a/a") && !reason.contains("secret"), "{reason}");
    let deeper = nested(1_000, json!({}), |inner| json!({"a": inner}));
    assert!(matches!(validate(&schema, &deeper), Err(SchemaFault::Unmet(_))));
}

#[test]
fn the_limits_are_checked_again_with_an_answer() {
    let schema = chain(500, |next| json!({"$ref": next, "unevaluatedProperties": false}));
    assert!(matches!(validate(&SchemaText::of(&schema), &json!({})), Err(SchemaFault::Unusable(_))));
}
