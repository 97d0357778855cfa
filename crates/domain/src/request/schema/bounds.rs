//! Limits on the size of a schema. The depth is checked first and without recursion; then recursive code is safe.

use std::collections::HashSet;

use jsonschema::Draft;
use serde_json::{Map, Value};

use super::pattern_cost;
use crate::json_length::json_length_within;

/// Maximum size of a schema as JSON without spaces.
const BYTES: usize = 256 * 1024;
/// Maximum levels of nested objects and arrays in a schema or an answer.
const NESTING: usize = 128;
/// Maximum total length of the paths of all values. jsonschema stores the path of every subschema, so a long name is
/// stored again for every field below it.
const PATH_BYTES: usize = 16 * 1024 * 1024;
/// Maximum number of different patterns. A few characters of a pattern can compile to megabytes.
const PATTERNS: usize = 64;

/// Compiled size of an object, which can be a schema, and of any other value.
const COMPILED_OBJECT: u64 = 512;
const COMPILED_VALUE: u64 = 64;

/// The size of a schema: everything that makes it slow or large to compile.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SchemaSize {
    /// Its length as JSON without spaces.
    pub(super) bytes: usize,
    pub(super) values: usize,
    pub(super) objects: usize,
    pub(super) path_bytes: usize,
    /// The number of different patterns.
    pub(super) patterns: usize,
    /// The estimated size of the compiled patterns.
    pub(super) pattern_bytes: u64,
    /// Characters that are read to translate the patterns.
    pub(super) pattern_characters: u64,
}

impl SchemaSize {
    /// About the memory of the compiled schema.
    pub(super) fn compiled_bytes(&self) -> u64 {
        let values = self.objects as u64 * COMPILED_OBJECT + self.values as u64 * COMPILED_VALUE;
        (values + (self.bytes + self.path_bytes) as u64).saturating_add(self.pattern_bytes)
    }
}

/// Why the text of a schema is too long to be read, or `None` if it is not.
pub(super) fn size_fault(text: &str) -> Option<String> {
    (text.len() > BYTES).then(|| format!("it has more than {BYTES} bytes as JSON"))
}

/// Why a schema is too deep for recursive code, or `None` if it is not.
pub(super) fn depth_fault(schema: &Value) -> Option<String> {
    is_too_deep(schema).then(|| format!("it is nested deeper than {NESTING} levels"))
}

/// Measures a schema without compiling anything. Fails with the reason if it is too large.
pub(super) fn measure(schema: &Value) -> Result<SchemaSize, String> {
    if let Some(fault) = depth_fault(schema) {
        return Err(fault);
    }
    // The serializer is recursive, which is safe now that the depth is checked.
    let bytes =
        json_length_within(schema, BYTES).ok_or_else(|| format!("it has more than {BYTES} bytes as JSON"))?;
    let size = Survey::new(schema).size()?;
    Ok(SchemaSize { bytes, ..size })
}

/// Whether the value is nested more deeply than allowed.
pub(super) fn is_too_deep(value: &Value) -> bool {
    let mut open = vec![(value, 1)];
    while let Some((value, level)) = open.pop() {
        if level > NESTING {
            return true;
        }
        open.extend(containers(value).map(|inner| (inner, level + 1)));
    }
    false
}

fn containers(value: &Value) -> impl Iterator<Item = &Value> {
    inner(value).map(|(_, inner)| inner).filter(|inner| inner.is_object() || inner.is_array())
}

/// The direct children, each with the number of characters that its name adds to a path.
pub(super) fn inner(value: &Value) -> impl Iterator<Item = (usize, &Value)> {
    let fields = value.as_object().into_iter().flatten().map(|(name, field)| (name.len() + 1, field));
    let items = value.as_array().into_iter().flatten().map(|item| (6, item));
    fields.chain(items)
}

/// Visits every value of a schema, after its depth and size were checked.
struct Survey<'a> {
    root: &'a Value,
    draft: Draft,
    size: SchemaSize,
    patterns: HashSet<&'a str>,
}

impl<'a> Survey<'a> {
    fn new(root: &'a Value) -> Self {
        let draft = Draft::default().detect(root);
        Self { root, draft, size: SchemaSize::default(), patterns: HashSet::new() }
    }

    fn size(mut self) -> Result<SchemaSize, String> {
        let mut open = vec![(0, self.root)];
        while let Some((path, value)) = open.pop() {
            self.size.values += 1;
            self.size.path_bytes += path;
            if let Some(fault) = value.as_object().and_then(|fields| self.visit(value, fields)) {
                return Err(fault);
            }
            open.extend(inner(value).map(|(name, inner)| (path + name, inner)));
        }
        if self.size.path_bytes > PATH_BYTES {
            return Err(
                "the paths of its fields are too long in total; use shorter names or fewer fields".into()
            );
        }
        if self.patterns.len() > PATTERNS {
            return Err(format!("it has more than {PATTERNS} patterns"));
        }
        Ok(self.with_patterns())
    }

    fn with_patterns(self) -> SchemaSize {
        let size = SchemaSize { patterns: self.patterns.len(), ..self.size };
        self.patterns.into_iter().map(pattern_cost::cost).fold(size, |size, cost| SchemaSize {
            pattern_bytes: size.pattern_bytes.saturating_add(cost.bytes),
            pattern_characters: size.pattern_characters.saturating_add(cost.characters),
            ..size
        })
    }

    fn visit(&mut self, value: &'a Value, fields: &'a Map<String, Value>) -> Option<String> {
        self.size.objects += 1;
        self.patterns.extend(fields.get("pattern").and_then(Value::as_str));
        let named = fields.get("patternProperties").and_then(Value::as_object);
        self.patterns.extend(named.into_iter().flat_map(Map::keys).map(String::as_str));
        if std::ptr::eq(value, self.root) { None } else { self.embedded(fields) }
    }

    /// Refuses documents embedded in the document. With twelve that refer to each other, jsonschema practically never
    /// finishes, because it compiles each again for every path to it.
    fn embedded(&self, fields: &Map<String, Value>) -> Option<String> {
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        let id = if self.draft == Draft::Draft4 { "id" } else { "$id" };
        // Up to draft 7, an id that starts with `#` is an anchor.
        let has_anchors = matches!(self.draft, Draft::Draft4 | Draft::Draft6 | Draft::Draft7);
        if text("$schema").is_some() {
            return Some("only its root may have a `$schema`".into());
        }
        text(id).filter(|text| !(has_anchors && text.starts_with('#'))).map(|_| {
            format!("only its root may have an `{id}`; put parts into `$defs` and refer to `#/$defs/…`")
        })
    }
}
