//! Walks through a schema and collects the boundary cases of every value in it.

use serde_json::{Value, json};

use super::case_list::{CaseList, Place, joined};
use super::sample::{accepts, branches, items, main_type, sample};
use super::{BoundaryCase, Rule, object, scalar};
use crate::contract::{at, contract, put};

/// The cases of a whole body, each in a document that is otherwise valid.
pub fn cases_of_body(schema: &Value, document: &Value) -> Vec<BoundaryCase> {
    let mut walk = Walk::default();
    walk.visit(schema, "", document);
    walk.cases.0
}

/// The cases of a single value, such as a query parameter.
pub fn cases_of_value(schema: &Value, param: &str) -> Vec<BoundaryCase> {
    let mut walk = Walk::default();
    let mut document = json!({});
    put(&mut document, param, sample(schema));
    walk.visit(schema, param, &document);
    walk.cases.0
}

#[derive(Default)]
struct Walk {
    cases: CaseList,
}

impl Walk {
    fn visit(&mut self, schema: &Value, param: &str, document: &Value) {
        let schema = contract().resolve(schema);
        for branch in branches(schema) {
            let mut document = document.clone();
            if !accepts(branch, at(&document, param)) {
                put(&mut document, param, sample(branch));
            }
            self.visit(branch, param, &document);
        }
        let place = Place { schema, param, document };
        self.types(&place);
        match main_type(schema) {
            "string" => scalar::text(&mut self.cases, &place),
            "integer" | "number" => scalar::number(&mut self.cases, &place),
            "array" => self.array(&place),
            "object" => self.object(&place),
            _ => {}
        }
    }

    // One value of each other type, and null if it is not allowed.
    fn types(&mut self, place: &Place<'_>) {
        if place.param.is_empty() || main_type(place.schema).is_empty() {
            return;
        }
        let own = main_type(place.schema);
        let others = [json!(true), json!(7), json!("words"), json!([]), json!({}), Value::Null];
        for other in others
            .iter()
            .filter(|value| type_of(value) != own && (own, type_of(value)) != ("number", "integer"))
        {
            self.cases.add(place, Rule::Type, other.clone());
        }
        if own == "integer" {
            self.cases.add(place, Rule::Type, json!(1.5));
        }
    }

    fn array(&mut self, place: &Place<'_>) {
        let schema = place.schema;
        if let Some(most) = schema["maxItems"].as_u64() {
            self.cases.add(place, Rule::MaxItems, Value::Array(items(schema, most as usize)));
            self.cases.add(place, Rule::MaxItems, Value::Array(items(schema, most as usize + 1)));
        }
        if let Some(least) = schema["minItems"].as_u64().filter(|least| *least > 0) {
            self.cases.add(place, Rule::MinItems, Value::Array(items(schema, least as usize)));
            self.cases.add(place, Rule::MinItems, Value::Array(items(schema, least as usize - 1)));
        }
        let param = format!("{}[0]", place.param);
        self.child(place, &param, &schema["items"]);
    }

    fn object(&mut self, place: &Place<'_>) {
        object::fields(&mut self.cases, place);
        for (name, schema) in place.schema["properties"].as_object().into_iter().flatten() {
            self.child(place, &joined(place.param, name), schema);
        }
        let values = &place.schema["additionalProperties"];
        if values.is_object() && !values.as_object().is_some_and(serde_json::Map::is_empty) {
            self.child(place, &joined(place.param, "key"), values);
        }
    }

    fn child(&mut self, place: &Place<'_>, param: &str, schema: &Value) {
        if schema.is_null() {
            return;
        }
        let mut document = place.document.clone();
        if at(&document, param).is_null() {
            put(&mut document, param, sample(schema));
        }
        self.visit(schema, param, &document);
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
