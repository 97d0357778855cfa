//! Finds schemas that no answer can match, in simple cases. Refusing them saves the caller the cost of a task that must
//! fail.

use serde_json::{Map, Value};

/// Pairs of a lower and an upper bound. The lower must not be above the upper.
const BOUNDS: [(&str, &str); 4] = [
    ("minimum", "maximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
];
/// The types that each pair of bounds applies to. Values of other types are not limited by it.
const BOUND_TYPES: [&[&str]; 4] = [&["number", "integer"], &["string"], &["array"], &["object"]];

/// Why no value can match the schema, or `None` if one might.
pub(super) fn reason(schema: &Value) -> Option<String> {
    match schema {
        Value::Bool(false) => Some("`false` allows nothing".into()),
        Value::Object(fields) => fault(fields),
        Value::Bool(true) | Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
    }
}

fn fault(fields: &Map<String, Value>) -> Option<String> {
    // Before draft 2019-09, keywords beside a `$ref` are ignored.
    if fields.contains_key("$ref") {
        return None;
    }
    empty_enum(fields)
        .or_else(|| crossed_bounds(fields))
        .or_else(|| negated_everything(fields))
        .or_else(|| impossible_part(fields))
        .or_else(|| impossible_field(fields))
}

fn empty_enum(fields: &Map<String, Value>) -> Option<String> {
    let values = fields.get("enum")?.as_array()?;
    values.is_empty().then(|| "its `enum` is empty".into())
}

fn crossed_bounds(fields: &Map<String, Value>) -> Option<String> {
    let only = fields.get("type")?.as_str()?;
    let crossed = |((lower, upper), types): (&(&str, &str), &&[&str])| {
        let minimum = fields.get(*lower)?.as_f64()?;
        let maximum = fields.get(*upper)?.as_f64()?;
        (types.contains(&only) && minimum > maximum)
            .then(|| format!("its `{lower}` is greater than its `{upper}`"))
    };
    BOUNDS.iter().zip(&BOUND_TYPES).find_map(crossed)
}

fn negated_everything(fields: &Map<String, Value>) -> Option<String> {
    let everything = match fields.get("not")? {
        Value::Bool(given) => *given,
        Value::Object(inner) => inner.is_empty(),
        Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => false,
    };
    everything.then(|| "its `not` allows nothing".into())
}

/// Whether one part of an `allOf` is impossible, or every part of an `anyOf` or `oneOf`.
fn impossible_part(fields: &Map<String, Value>) -> Option<String> {
    let parts = |name| fields.get(name).and_then(Value::as_array);
    if let Some(found) = parts("allOf").and_then(|all| all.iter().find_map(reason)) {
        return Some(found);
    }
    ["anyOf", "oneOf"].into_iter().filter_map(parts).find_map(|any| {
        let reasons: Option<Vec<String>> = any.iter().map(reason).collect();
        reasons?.into_iter().next()
    })
}

/// Whether a required field is impossible.
fn impossible_field(fields: &Map<String, Value>) -> Option<String> {
    if fields.get("type")?.as_str()? != "object" {
        return None;
    }
    let properties = fields.get("properties")?.as_object()?;
    let required = fields.get("required")?.as_array()?.iter().filter_map(Value::as_str);
    let mut faults = required.filter_map(|name| Some((name, reason(properties.get(name)?)?)));
    faults.next().map(|(name, fault)| format!("the required `{name}`: {fault}"))
}
