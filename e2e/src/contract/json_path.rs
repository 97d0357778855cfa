//! Reads and changes a value in a JSON document by a path in the notation of an error's `param`: `a.b[2].c`.

use serde_json::{Map, Value};

enum Part<'a> {
    Field(&'a str),
    Item(usize),
}

/// The value at the path; null if there is none.
pub fn at<'a>(document: &'a Value, path: &str) -> &'a Value {
    let mut value = document;
    for part in parts(path) {
        value = match part {
            Part::Field(name) => &value[name],
            Part::Item(index) => &value[index],
        };
    }
    value
}

/// Writes the value at the path and creates missing objects and array elements.
pub fn put(document: &mut Value, path: &str, new: Value) {
    let mut value = document;
    for part in parts(path) {
        value = match part {
            Part::Field(name) => field(value, name),
            Part::Item(index) => item(value, index),
        };
    }
    *value = new;
}

/// Removes the field at the path.
pub fn remove(document: &mut Value, path: &str) {
    let (parent, name) = path.rsplit_once('.').unwrap_or(("", path));
    let mut value = document;
    for part in parts(parent) {
        value = match part {
            Part::Field(name) => field(value, name),
            Part::Item(index) => item(value, index),
        };
    }
    if let Some(object) = value.as_object_mut() {
        object.shift_remove(name);
    }
}

fn field<'a>(value: &'a mut Value, name: &str) -> &'a mut Value {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    &mut value[name]
}

fn item(value: &mut Value, index: usize) -> &mut Value {
    if !value.is_array() {
        *value = Value::Array(Vec::new());
    }
    let items = value.as_array_mut().expect("it was made an array above");
    while items.len() <= index {
        items.push(Value::Null);
    }
    &mut items[index]
}

fn parts(path: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    for segment in path.split('.').filter(|segment| !segment.is_empty()) {
        let mut pieces = segment.split('[');
        if let Some(name) = pieces.next().filter(|name| !name.is_empty()) {
            parts.push(Part::Field(name));
        }
        for index in pieces {
            let index = index.trim_end_matches(']').parse();
            parts.push(Part::Item(index.expect("an index is a number")));
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_written_and_read_by_its_path() {
        let mut document = json!({});
        put(&mut document, "a.b[1].c", json!(5));
        assert_eq!(document, json!({"a": {"b": [null, {"c": 5}]}}));
        assert_eq!(at(&document, "a.b[1].c"), &json!(5));
    }

    #[test]
    fn a_removed_field_no_longer_exists() {
        let mut document = json!({"a": {"b": 1, "c": 2}, "d": 3});
        remove(&mut document, "a.b");
        remove(&mut document, "d");
        assert_eq!(document, json!({"a": {"c": 2}}));
    }
}
