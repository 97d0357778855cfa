//! The targets of the references in a schema, found with the registry of jsonschema, so that both agree.

use std::collections::HashMap;

use jsonschema::{Draft, ReferencingError, Registry, uri};
use serde_json::Value;

use super::bounds;

const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
/// Keywords whose schemas apply to the same value.
const LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const SINGLES: [&str; 4] = ["not", "if", "then", "else"];
const MAPS: [&str; 2] = ["dependentSchemas", "dependencies"];
const UNEVALUATED: [&str; 2] = ["unevaluatedProperties", "unevaluatedItems"];

/// A schema, reduced to what applies to the same value of an answer.
pub(super) struct Node {
    /// The indices of the schemas that are applied to the same value.
    pub(super) parts: Vec<usize>,
    /// Whether it has an `unevaluated…` keyword, for which all parts are visited again.
    pub(super) finds_unevaluated: bool,
}

/// Every value of the schema and the schemas that it refers to. Values that are not schemas are treated as schemas;
/// this can only overestimate the work.
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
        finds_unevaluated: UNEVALUATED.iter().any(|name| value.get(name).is_some()),
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

/// The URI of the document: its id, or the one that jsonschema uses for a document without an id.
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
