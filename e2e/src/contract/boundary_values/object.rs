//! Boundary values of an object's set of fields.

use serde_json::{Value, json};

use super::case_list::{CaseList, FieldCase, Place};
use super::sample::sample;

use super::{Change, Rule};

/// Required fields left out, unknown fields put in, too many entries, keys of the wrong length.
pub(super) fn fields(cases: &mut CaseList, place: &Place<'_>) {
    for name in place.schema["required"].as_array().into_iter().flatten() {
        let name = name.as_str().unwrap_or_default();
        let field = FieldCase { name, rule: Rule::Required, keeps: false, change: Change::Remove };
        cases.add_inside(place, field);
    }
    let more = &place.schema["additionalProperties"];
    match more {
        Value::Bool(false) => {
            let change = Change::Put(json!(1));
            let field = FieldCase { name: "no_such_field", rule: Rule::UnknownField, keeps: false, change };
            cases.add_inside(place, field);
        }
        Value::Object(_) => entries(cases, place, more),
        _ => {}
    }
}

// A map of names to values: its maximum size, and the length of a name.
fn entries(cases: &mut CaseList, place: &Place<'_>, values: &Value) {
    let value = sample(values);
    if let Some(most) = place.schema["maxProperties"].as_u64() {
        for count in [most, most + 1] {
            let entries = (0..count).map(|index| (format!("key{index}"), value.clone()));
            cases.add(place, Rule::MaxProperties, Value::Object(entries.collect()));
        }
    }
    if let Some(most) = place.schema["propertyNames"]["maxLength"].as_u64() {
        for length in [most, most + 1] {
            let name = "k".repeat(length as usize);
            let change = Change::Put(value.clone());
            let keeps = length == most;
            cases.add_inside(place, FieldCase { name: &name, rule: Rule::PropertyName, keeps, change });
        }
    }
    if place.schema["propertyNames"]["minLength"] == 1 {
        // A path cannot name a field with an empty name, so the whole map is replaced.
        cases.add(place, Rule::PropertyName, json!({"": value}));
    }
}
