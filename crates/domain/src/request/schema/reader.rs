//! Reads the schemas of one request.

use std::cell::RefCell;
use std::collections::HashSet;

use super::budget::SchemaBudget;
use super::normal_text::normal_text;
use super::{bounds, survey, unusable};
use crate::error::Checked;
use crate::raw_json::RawJson;
use crate::request::check::Path;
use crate::step::SchemaText;

/// The schemas of a request that were read so far. The same text in several tasks is kept once and compiled once, so it
/// counts once. A schema whose fields are in another order is an equal value, but is compiled again.
#[derive(Default)]
pub(in crate::request) struct SchemaReader {
    budget: RefCell<SchemaBudget>,
    known: RefCell<HashSet<SchemaText>>,
}

impl SchemaReader {
    /// Reads a schema without compiling it. Refuses one that is too large, alone or together with those before it.
    pub(in crate::request) fn read(&self, path: &Path<'_>, schema: RawJson<'_>) -> Checked<SchemaText> {
        if !schema.is_object() {
            return Err(path.wrong_type("an object", schema));
        }
        let refuse = |fault: String| unusable(&path.to_string(), &fault);
        let text = normal_text(schema.as_str(), bounds::BYTES).ok_or_else(|| refuse(too_large()))?;
        let schema = SchemaText::from_checked(&text);
        if let Some(known) = self.known.borrow().get(&schema) {
            return Ok(known.clone());
        }
        survey::measure(&text).and_then(|size| self.budget.borrow_mut().add(&size)).map_err(refuse)?;
        self.known.borrow_mut().insert(schema.clone());
        Ok(schema)
    }
}

fn too_large() -> String {
    format!("it has more than {} bytes as JSON, or is nested too deeply", bounds::BYTES)
}
