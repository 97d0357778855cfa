//! The smallest value that matches a JSON Schema, for common schemas.

use serde_json::{Map, Value, json};

/// Maximum depth of the value: a recursive schema ends here. Real schemas are less deep.
const MAX_DEPTH: usize = 16;

/// A minimal instance of `schema`.
pub(super) fn instance(schema: &Value) -> Value {
    build(schema, schema, MAX_DEPTH)
}

fn build(schema: &Value, root: &Value, depth: usize) -> Value {
    if depth == 0 {
        return Value::Null;
    }
    if let Some(fixed) = fixed(schema) {
        return fixed;
    }
    if let Some(target) = referenced(schema, root) {
        return build(target, root, depth - 1);
    }
    let choices = ["anyOf", "oneOf", "allOf"].iter().find_map(|key| schema[*key].as_array()?.first());
    if let Some(choice) = choices {
        return build(choice, root, depth - 1);
    }
    of_type(schema, root, depth)
}

fn fixed(schema: &Value) -> Option<Value> {
    let first = |key: &str| schema[key].as_array().and_then(|values| values.first()).cloned();
    schema.get("const").cloned().or_else(|| first("enum")).or_else(|| schema.get("default").cloned())
}

fn referenced<'a>(schema: &Value, root: &'a Value) -> Option<&'a Value> {
    root.pointer(schema["$ref"].as_str()?.strip_prefix('#')?)
}

fn of_type(schema: &Value, root: &Value, depth: usize) -> Value {
    let named = schema["type"].as_str().or_else(|| schema["type"].as_array()?.first()?.as_str());
    let implied = if schema.get("properties").is_some() { "object" } else { "null" };
    match named.unwrap_or(implied) {
        "object" => object(schema, root, depth),
        "array" => array(schema, root, depth),
        "string" => json!("x".repeat(count(schema, "minLength"))),
        "integer" => json!(smallest(schema).ceil() as i64),
        "number" => json!(smallest(schema)),
        "boolean" => json!(false),
        _ => Value::Null,
    }
}

fn object(schema: &Value, root: &Value, depth: usize) -> Value {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let fields = required.map(|key| (key.to_owned(), build(&schema["properties"][key], root, depth - 1)));
    Value::Object(fields.collect::<Map<_, _>>())
}

fn array(schema: &Value, root: &Value, depth: usize) -> Value {
    let item = build(&schema["items"], root, depth - 1);
    Value::Array(vec![item; count(schema, "minItems").min(100)])
}

fn count(schema: &Value, key: &str) -> usize {
    schema[key].as_u64().unwrap_or(0).min(10_000) as usize
}

fn smallest(schema: &Value) -> f64 {
    let above = schema["exclusiveMinimum"].as_f64().map(|bound| bound + 1.0);
    let at_most = schema["maximum"].as_f64().unwrap_or(f64::MAX);
    schema["minimum"].as_f64().or(above).unwrap_or(0.0_f64.min(at_most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn required_fields_are_set_and_others_are_omitted() {
        let schema = json!({"type": "object", "required": ["items", "kind"], "properties": {
            "items": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/item"}},
            "kind": {"enum": ["a", "b"]},
            "note": {"type": "string"}},
            "$defs": {"item": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "minimum": 3}}}}});
        assert_eq!(instance(&schema), json!({"items": [{"n": 3}], "kind": "a"}));
    }

    #[test]
    fn a_schema_that_contains_itself_ends() {
        let schema = json!({"type": "object", "required": ["child"], "properties": {"child": {"$ref": "#"}}});
        assert!(instance(&schema).is_object());
    }
}
