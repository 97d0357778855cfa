//! Limits on the size of a schema, and on the depth of an answer.

use serde_json::Value;

/// Maximum size of a schema as JSON without spaces.
pub(super) const BYTES: usize = 256 * 1024;
/// Maximum levels of nested objects and arrays in an answer. A schema may have one level less, the limit of `serde_json`.
const NESTING: usize = 128;
/// Maximum total length of the paths of all values. jsonschema stores the path of every subschema, so a long name is
/// stored again for every field below it.
pub(super) const PATH_BYTES: usize = 16 * 1024 * 1024;
/// Maximum number of different patterns. A few characters of a pattern can compile to megabytes.
pub(super) const PATTERNS: usize = 64;

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
