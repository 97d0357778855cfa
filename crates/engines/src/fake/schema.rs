//! The smallest value that matches a JSON Schema, for common schemas.

use auris_engine_core::EngineError;
use serde_json::{Map, Value, json};

/// Maximum depth of the value: a recursive schema ends here. Real schemas are less deep.
const MAX_DEPTH: usize = 16;
/// Maximum number of JSON values in an answer. A small schema can ask for any number of them: ten required fields in twelve
/// levels are a million million.
const MAX_VALUES: usize = 10_000;
/// Maximum bytes of texts in an answer.
const MAX_BYTES: usize = 1 << 20;

/// A minimal instance of `schema`. Fails if it would be too large.
pub(super) fn instance(schema: &Value) -> Result<Value, EngineError> {
    InstanceBuilder { root: schema, values_left: MAX_VALUES, bytes_left: MAX_BYTES }.build(schema, MAX_DEPTH)
}

struct InstanceBuilder<'a> {
    root: &'a Value,
    values_left: usize,
    bytes_left: usize,
}

impl<'a> InstanceBuilder<'a> {
    fn build(&mut self, schema: &Value, depth: usize) -> Result<Value, EngineError> {
        self.take(1, 0)?;
        if depth == 0 {
            return Ok(Value::Null);
        }
        if let Some(fixed) = fixed(schema) {
            return self.copy(fixed);
        }
        if let Some(target) = self.referenced(schema) {
            return self.build(target, depth - 1);
        }
        let choices = ["anyOf", "oneOf", "allOf"].iter().find_map(|key| schema[*key].as_array()?.first());
        match choices {
            Some(choice) => self.build(choice, depth - 1),
            None => self.of_type(schema, depth),
        }
    }

    /// Takes from what is left for the answer.
    fn take(&mut self, values: usize, bytes: usize) -> Result<(), EngineError> {
        match (self.values_left.checked_sub(values), self.bytes_left.checked_sub(bytes)) {
            (Some(values_left), Some(bytes_left)) => {
                self.values_left = values_left;
                self.bytes_left = bytes_left;
                Ok(())
            }
            (None, _) | (_, None) => Err(too_large()),
        }
    }

    fn copy(&mut self, value: &Value) -> Result<Value, EngineError> {
        let (values, bytes) = size_of_value(value);
        self.take(values, bytes)?;
        Ok(value.clone())
    }

    fn referenced(&self, schema: &Value) -> Option<&'a Value> {
        self.root.pointer(schema["$ref"].as_str()?.strip_prefix('#')?)
    }

    fn of_type(&mut self, schema: &Value, depth: usize) -> Result<Value, EngineError> {
        let named = schema["type"].as_str().or_else(|| schema["type"].as_array()?.first()?.as_str());
        let implied = if schema.get("properties").is_some() { "object" } else { "null" };
        match named.unwrap_or(implied) {
            "object" => self.object(schema, depth),
            "array" => self.array(schema, depth),
            "string" => self.text(schema),
            "integer" => Ok(json!(smallest(schema).ceil() as i64)),
            "number" => Ok(json!(smallest(schema))),
            "boolean" => Ok(json!(false)),
            _ => Ok(Value::Null),
        }
    }

    fn object(&mut self, schema: &Value, depth: usize) -> Result<Value, EngineError> {
        let mut fields = Map::new();
        for key in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            self.take(0, key.len())?;
            fields.insert(key.to_owned(), self.build(&schema["properties"][key], depth - 1)?);
        }
        Ok(Value::Object(fields))
    }

    fn array(&mut self, schema: &Value, depth: usize) -> Result<Value, EngineError> {
        let count = count(schema, "minItems").min(100);
        let items = (0..count).map(|_| self.build(&schema["items"], depth - 1));
        items.collect::<Result<_, _>>().map(Value::Array)
    }

    fn text(&mut self, schema: &Value) -> Result<Value, EngineError> {
        let length = count(schema, "minLength");
        self.take(0, length)?;
        Ok(json!("x".repeat(length)))
    }
}

fn too_large() -> EngineError {
    let message = format!(
        "The fake model answers with at most {MAX_VALUES} JSON values and {MAX_BYTES} bytes of text; \
         the schema of the task asks for more."
    );
    EngineError::Backend { message, transient: false }
}

fn fixed(schema: &Value) -> Option<&Value> {
    let first = || schema["enum"].as_array().and_then(|values| values.first());
    schema.get("const").or_else(first).or_else(|| schema.get("default"))
}

/// The number of values in a value, and the bytes of its texts.
fn size_of_value(value: &Value) -> (usize, usize) {
    let add = |one: (usize, usize), other: (usize, usize)| (one.0 + other.0, one.1 + other.1);
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => (1, 0),
        Value::String(text) => (1, text.len()),
        Value::Array(items) => items.iter().map(size_of_value).fold((1, 0), add),
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| add((0, name.len()), size_of_value(field))).fold((1, 0), add)
        }
    }
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
        assert_eq!(instance(&schema).unwrap(), json!({"items": [{"n": 3}], "kind": "a"}));
    }

    #[test]
    fn a_schema_that_contains_itself_ends() {
        let schema = json!({"type": "object", "required": ["child"], "properties": {"child": {"$ref": "#"}}});
        assert!(instance(&schema).unwrap().is_object());
    }

    /// A schema of `levels` objects, each with ten required fields.
    fn ten_fields(levels: usize) -> Value {
        let names: Vec<String> = (0..10).map(|index| format!("f{index}")).collect();
        (0..levels).fold(json!({"type": "integer"}), |inner, level| {
            let fields =
                names.iter().map(|name| (name.clone(), json!({"$ref": format!("#/$defs/d{level}")})));
            let properties: Map<_, _> = fields.collect();
            let mut schema = json!({"type": "object", "required": names, "properties": properties});
            schema["$defs"] = inner["$defs"].clone();
            if schema["$defs"].is_null() {
                schema["$defs"] = json!({});
            }
            let mut definition = inner.clone();
            definition.as_object_mut().unwrap().remove("$defs");
            schema["$defs"][format!("d{level}")] = definition;
            schema
        })
    }

    #[test]
    fn an_answer_of_a_million_million_fields_is_an_error() {
        let large = ten_fields(12);
        assert!(large.to_string().len() < 10_000);
        let error = instance(&large).unwrap_err();
        assert!(matches!(&error, EngineError::Backend { transient: false, .. }), "{error:?}");
        assert!(error.to_string().contains("10000 JSON values"), "{error}");
        assert!(instance(&ten_fields(3)).is_ok());
    }

    #[test]
    fn arrays_of_arrays_long_texts_and_large_constants_are_limited_too() {
        let array = |items: Value| json!({"type": "array", "minItems": 100, "items": items});
        let text = json!({"type": "string", "minLength": 10_000});
        let constant = json!({"const": vec![0; 1_000]});
        for schema in [array(array(array(json!({})))), array(array(text.clone())), array(constant.clone())] {
            assert!(instance(&schema).is_err(), "{schema}");
        }
        for schema in [array(json!({})), text, constant] {
            assert!(instance(&schema).is_ok(), "{schema}");
        }
    }
}
