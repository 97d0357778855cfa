//! Where the references of a schema lead, found as jsonschema finds it: with its own registry, built once.

use std::collections::HashMap;

use jsonschema::{Draft, ReferencingError, Registry, uri};
use serde_json::Value;

use super::bounds;

const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
/// Keywords whose schemas apply to the same place again.
const LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const SINGLES: [&str; 4] = ["not", "if", "then", "else"];
const MAPS: [&str; 2] = ["dependentSchemas", "dependencies"];
const UNEVALUATED: [&str; 2] = ["unevaluatedProperties", "unevaluatedItems"];

/// A value of the schema, as far as it speaks of the very place that it is applied to.
pub(super) struct Node {
    /// The schemas that are applied to the same place, by their number.
    pub(super) parts: Vec<usize>,
    /// It asks which fields or items its parts have looked at, so they are all gone through once more.
    pub(super) asks_back: bool,
}

/// Every value of the schema with what it leads to. What is no schema is looked at as if it were one: that can only
/// find too much.
pub(super) fn nodes(schema: &Value) -> Result<Vec<Node>, ReferencingError> {
    let values = values(schema);
    let numbered = values.iter().enumerate();
    let numbers: HashMap<_, _> =
        numbered.map(|(number, value)| (std::ptr::from_ref(*value), number)).collect();
    let registry = registry(schema)?;
    let resolver = registry.resolver(base(schema)?);
    let number = |part: &Value| numbers.get(&std::ptr::from_ref(part)).copied();
    let target = |reference: &str| number(resolver.lookup(reference).ok()?.contents());
    let node = |value: &&Value| Node {
        parts: parts(value).filter_map(number).chain(references(value).filter_map(target)).collect(),
        asks_back: UNEVALUATED.iter().any(|name| value.get(name).is_some()),
    };
    Ok(values.iter().map(node).collect())
}

fn values(schema: &Value) -> Vec<&Value> {
    let mut values = vec![schema];
    let mut next = 0;
    while let Some(value) = values.get(next).copied() {
        values.extend(bounds::inner(value).map(|(_, inner)| inner));
        next += 1;
    }
    values
}

fn registry(schema: &Value) -> Result<Registry<'_>, ReferencingError> {
    let draft = Draft::default().detect(schema);
    let resource = draft.create_resource_ref(schema);
    Registry::new().draft(draft).add(base(schema)?.as_str(), resource)?.prepare()
}

/// The address of the document: its own, or the one that jsonschema gives to a document without one.
fn base(schema: &Value) -> Result<jsonschema::Uri<String>, ReferencingError> {
    let resource = Draft::default().detect(schema).create_resource_ref(schema);
    uri::from_str(resource.id().map_or("json-schema:///", |id| id.trim_end_matches('#')))
}

fn parts(schema: &Value) -> impl Iterator<Item = &Value> {
    let lists = LISTS.iter().filter_map(|name| schema.get(name)?.as_array()).flatten();
    let singles = SINGLES.iter().filter_map(|name| schema.get(name));
    let maps = MAPS.iter().filter_map(|name| schema.get(name)?.as_object());
    lists.chain(singles).chain(maps.flat_map(|map| map.values()))
}

fn references(schema: &Value) -> impl Iterator<Item = &str> {
    REFERENCES.iter().filter_map(|name| schema.get(name)?.as_str())
}
