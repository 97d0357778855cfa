//! The JSON Schema of an answer as text. A tree of its values can take 150 times as much memory, so there is one only
//! while the schema is compiled or used.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::raw_json::RawJson;

/// A JSON Schema without spaces. Cheap to clone: equal schemas of a request share their text.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SchemaText(Arc<str>);

impl SchemaText {
    /// Writes a schema.
    pub fn of(schema: &Value) -> Self {
        Self(schema.to_string().into())
    }

    /// Takes a text that is known to be JSON.
    pub(crate) fn from_checked(text: &str) -> Self {
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Builds the tree of values, for schemas that were measured before. Fails if it is nested too deeply.
    pub fn read(&self) -> Result<Value, serde_json::Error> {
        serde_json::from_str(&self.0)
    }
}

impl fmt::Debug for SchemaText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Display for SchemaText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Writes the text unchanged.
impl Serialize for SchemaText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawJson::of_piece(&self.0).serialize(serializer)
    }
}

/// Keeps the text unchanged, without building anything from it.
impl<'de> Deserialize<'de> for SchemaText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        Ok(Self::from_checked(text.get()))
    }
}
