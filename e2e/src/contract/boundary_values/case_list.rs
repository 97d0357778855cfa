//! The list of cases that a walk through a schema collects.

use serde_json::Value;

use super::sample::accepts;
use super::{BoundaryCase, Change, Rule};

/// A schema, the path of the value that it describes, and a valid document that contains the value.
pub(super) struct Place<'a> {
    pub(super) schema: &'a Value,
    pub(super) param: &'a str,
    pub(super) document: &'a Value,
}

/// A change of one field of a value, and whether it keeps the rule.
pub(super) struct FieldCase<'a> {
    pub(super) name: &'a str,
    pub(super) rule: Rule,
    pub(super) keeps: bool,
    pub(super) change: Change,
}

pub(super) fn joined(param: &str, name: &str) -> String {
    match param {
        "" => name.to_owned(),
        _ => format!("{param}.{name}"),
    }
}

#[derive(Default)]
pub(super) struct CaseList(pub(super) Vec<BoundaryCase>);

impl CaseList {
    /// Adds a case. Whether it keeps the rule is decided by the schema.
    pub(super) fn add(&mut self, place: &Place<'_>, rule: Rule, value: Value) {
        let keeps = accepts(place.schema, &value);
        self.0.push(BoundaryCase {
            param: place.param.to_owned(),
            rule,
            keeps,
            change: Change::Put(value),
            document: place.document.clone(),
        });
    }

    /// Adds a case for a field of this value.
    pub(super) fn add_inside(&mut self, place: &Place<'_>, field: FieldCase<'_>) {
        self.0.push(BoundaryCase {
            param: joined(place.param, field.name),
            rule: field.rule,
            keeps: field.keeps,
            change: field.change,
            document: place.document.clone(),
        });
    }
}
