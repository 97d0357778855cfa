//! Fields of a transcript that are not part of the API.

use std::convert::Infallible;

use crate::json_text::JsonText;
use crate::raw_json::{RawJson, compact};

/// The caller's own fields, kept as the text of a JSON object: as values they would take up to 130 times as much memory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExtraFields {
    /// Empty if there are none.
    text: String,
}

impl ExtraFields {
    /// Adds a field whose name is not among them.
    pub fn add(&mut self, name: &str, value: RawJson<'_>) {
        match self.text.pop() {
            None => self.text.push('{'),
            Some(_) => self.text.push(','),
        }
        self.text.push_str(JsonText::of(name).as_str());
        self.text.push(':');
        compact(value.as_str(), &mut self.text);
        self.text.push('}');
    }

    pub fn contains(&self, name: &str) -> bool {
        let mut is_found = false;
        self.for_each(|own, _| is_found |= own == name);
        is_found
    }

    /// The same names without their values.
    pub fn names_only(&self) -> Self {
        let mut names = Self::default();
        self.for_each(|name, _| names.add(name, RawJson::NULL));
        names
    }

    /// The size as JSON.
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Passes on each field in its order.
    pub fn for_each(&self, mut take: impl FnMut(&str, RawJson<'_>)) {
        let Ok(object) = RawJson::whole(&self.text) else { return };
        let Ok(()) = object.for_each_field(|name, value| {
            take(&name, value);
            Ok::<(), Infallible>(())
        });
    }
}
