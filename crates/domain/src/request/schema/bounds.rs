//! The size of a schema: what is larger is refused before anything that calls itself looks at it.

use std::collections::HashSet;
use std::io;

use jsonschema::Draft;
use serde_json::{Map, Value};

/// As JSON, without spaces.
const BYTES: usize = 256 * 1024;
/// Levels of objects and arrays, in a schema and in an answer.
const NESTING: usize = 128;
/// Every schema keeps the path to itself, so a long name around many fields is held as often as there are fields.
const PATH_BYTES: usize = 16 * 1024 * 1024;
/// Different ones. A few characters of a pattern can compile to megabytes.
const PATTERNS: usize = 64;

/// Why the schema is too large, or `None` when it is not.
pub(super) fn reason(schema: &Value) -> Option<String> {
    if is_too_deep(schema) {
        return Some(format!("it is nested deeper than {NESTING} levels"));
    }
    // The depth is known by now, so the serializer may call itself.
    if serde_json::to_writer(Counter { left: BYTES }, schema).is_err() {
        return Some(format!("it has more than {BYTES} bytes as JSON"));
    }
    Survey::new(schema).fault()
}

/// Whether the value is nested deeper than a schema or an answer may be.
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

/// The values right inside, each with the characters that its step adds to a path.
pub(super) fn inner(value: &Value) -> impl Iterator<Item = (usize, &Value)> {
    let fields = value.as_object().into_iter().flatten().map(|(name, field)| (name.len() + 1, field));
    let items = value.as_array().into_iter().flatten().map(|item| (6, item));
    fields.chain(items)
}

/// A look at every value of a schema whose depth and size are known to be small.
struct Survey<'a> {
    root: &'a Value,
    draft: Draft,
    path_bytes: usize,
    patterns: HashSet<&'a str>,
}

impl<'a> Survey<'a> {
    fn new(root: &'a Value) -> Self {
        let draft = Draft::default().detect(root);
        Self { root, draft, path_bytes: 0, patterns: HashSet::new() }
    }

    fn fault(mut self) -> Option<String> {
        let mut open = vec![(0, self.root)];
        while let Some((path, value)) = open.pop() {
            self.path_bytes += path;
            if let Some(fault) = value.as_object().and_then(|fields| self.look_at(value, fields)) {
                return Some(fault);
            }
            open.extend(inner(value).map(|(step, inner)| (path + step, inner)));
        }
        if self.path_bytes > PATH_BYTES {
            return Some("its names are too long for so many fields".into());
        }
        (self.patterns.len() > PATTERNS).then(|| format!("it has more than {PATTERNS} patterns"))
    }

    fn look_at(&mut self, value: &'a Value, fields: &'a Map<String, Value>) -> Option<String> {
        self.patterns.extend(fields.get("pattern").and_then(Value::as_str));
        let named = fields.get("patternProperties").and_then(Value::as_object);
        self.patterns.extend(named.into_iter().flat_map(Map::keys).map(String::as_str));
        if std::ptr::eq(value, self.root) { None } else { self.embedded(fields) }
    }

    /// A document within the document. A handful that lead to each other take jsonschema for ever to compile, because
    /// it compiles each anew for every way that leads there.
    fn embedded(&self, fields: &Map<String, Value>) -> Option<String> {
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        let id = self.draft.id_keyword();
        // Up to draft 7 this is how an anchor is written.
        let has_anchors = matches!(self.draft, Draft::Draft4 | Draft::Draft6 | Draft::Draft7);
        if text("$schema").is_some() {
            return Some("only its root may have a `$schema`".into());
        }
        text(id).filter(|text| !(has_anchors && text.starts_with('#'))).map(|_| {
            format!("only its root may have an `{id}`; put parts into `$defs` and refer to `#/$defs/…`")
        })
    }
}

/// Counts what is written, and stops the writer when it is too much.
struct Counter {
    left: usize,
}

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.left = self.left.checked_sub(bytes.len()).ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
