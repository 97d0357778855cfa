//! Small valid values of a schema.

use serde_json::{Map, Value, json};

use crate::contract::contract;

/// Strings in every format that the contract uses; those that a schema accepts are used for it.
pub(super) const WORDS: &[&str] = &[
    "a",
    "en",
    "abc",
    "0",
    "1",
    "7.5",
    "0.1234567890",
    "1000000",
    "#/transcript/text",
    "#/a~0b/c~1d",
    "https://127.0.0.1:9/hook",
    "http://127.0.0.1:9/hook",
    "job_00000000000000000000",
    "job_zzzzzzzzzz0123456789",
    "stp_00000000000000000000",
    "art_00000000000000000000",
    "whk_00000000000000000000",
    "a-b_c9",
    "A-b_C9",
    // The rest is refused by at least one format.
    "",
    " ",
    "01",
    "-1",
    "1.",
    ".5",
    "1e3",
    "0.12345678901",
    "+1",
    "9a",
    "Aa",
    "a b",
    "#",
    "#/a~2",
    "job_0000000000000000000",
    "job_0000000000000000000A",
    "prj_00000000000000000000",
    "ftp://127.0.0.1/",
];

/// The smallest valid value of the schema.
pub fn sample(schema: &Value) -> Value {
    let schema = contract().resolve(schema);
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    if let Some(values) = schema["enum"].as_array() {
        return values[0].clone();
    }
    if let Some(branch) = branches(schema).first() {
        return sample(branch);
    }
    match main_type(schema) {
        "string" => Value::String(sample_text(schema)),
        "integer" => json!(schema["minimum"].as_i64().unwrap_or(1)),
        "number" => json!(schema["minimum"].as_f64().unwrap_or(0.5)),
        "boolean" => json!(true),
        "array" => Value::Array(sample_items(schema)),
        "null" => Value::Null,
        _ => Value::Object(sample_fields(schema)),
    }
}

/// The alternatives of a `oneOf` or `anyOf`, without null.
pub(super) fn branches(schema: &Value) -> Vec<&Value> {
    let alternatives = schema["oneOf"].as_array().or(schema["anyOf"].as_array());
    let all = alternatives.into_iter().flatten();
    all.filter(|branch| contract().resolve(branch)["type"] != "null").collect()
}

/// The type of the schema, ignoring null: `string` for `[string, null]`.
pub(super) fn main_type(schema: &Value) -> &str {
    let of_list = schema["type"].as_array().and_then(|types| {
        let mut names = types.iter().filter_map(Value::as_str);
        names.find(|name| *name != "null")
    });
    let inferred = if schema.get("properties").is_some() { "object" } else { "" };
    schema["type"].as_str().or(of_list).unwrap_or(inferred)
}

/// Whether the value is valid.
pub(super) fn accepts(schema: &Value, value: &Value) -> bool {
    contract().schema_errors(schema, value).is_empty()
}

fn sample_text(schema: &Value) -> String {
    let word = WORDS.iter().find(|word| accepts(schema, &json!(word)));
    let word = word.unwrap_or_else(|| panic!("no word is valid for {schema}"));
    (*word).to_owned()
}

fn sample_items(schema: &Value) -> Vec<Value> {
    let count = schema["minItems"].as_u64().unwrap_or(1).max(1);
    items(schema, count as usize)
}

/// The given number of items; objects with an `id` get different ones.
pub(super) fn items(schema: &Value, count: usize) -> Vec<Value> {
    let item = sample(&schema["items"]);
    let mut items = vec![item; count];
    for (index, item) in items.iter_mut().enumerate() {
        if item.get("id").is_some() {
            item["id"] = json!(format!("t{index}"));
        }
    }
    items
}

fn sample_fields(schema: &Value) -> Map<String, Value> {
    let required = schema["required"].as_array().into_iter().flatten();
    required
        .filter_map(Value::as_str)
        .map(|name| (name.to_owned(), sample(&schema["properties"][name])))
        .collect()
}
