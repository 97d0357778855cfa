//! Strict JSON: one object, no duplicate keys, no NUL characters, nothing after the end.

use std::cell::Cell;
use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::check::{Path, shown};
use crate::error::{ApiError, Checked, ErrorCode};

/// Reads a request body. Duplicate keys are refused, because JSON parsers disagree on which one is used.
pub fn parse_strict(bytes: &[u8]) -> Checked<Value> {
    let nul_seen = Cell::new(false);
    let value = read(bytes, &nul_seen).map_err(invalid_json)?;
    if !value.is_object() {
        return Err(Path::Root.wrong_type("a JSON object", &value));
    }
    if nul_seen.get() {
        refuse_nul(&Path::Root, &value)?;
    }
    Ok(value)
}

fn read(bytes: &[u8], nul_seen: &Cell<bool>) -> Result<Value, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = Strict { nul_seen }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

fn invalid_json(error: serde_json::Error) -> ApiError {
    ApiError::new(ErrorCode::InvalidJson, format!("The body is not valid JSON: {error}."))
}

/// Refuses NUL characters, because the databases cannot store them in text columns.
fn refuse_nul(path: &Path<'_>, value: &Value) -> Checked<()> {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
        Value::String(text) => refuse_nul_in(path, text),
        Value::Array(items) => {
            let mut indexed = items.iter().enumerate();
            indexed.try_for_each(|(index, item)| refuse_nul(&path.item(index), item))
        }
        Value::Object(fields) => fields.iter().try_for_each(|(name, field)| {
            // The path ends at the object: a name with a NUL character would not be readable in it.
            refuse_nul_in(path, name)?;
            refuse_nul(&path.field(name), field)
        }),
    }
}

fn refuse_nul_in(path: &Path<'_>, text: &str) -> Checked<()> {
    if text.contains('\0') {
        return Err(
            path.refuse(ErrorCode::InvalidValue, "Strings must not contain the NUL character (U+0000).")
        );
    }
    Ok(())
}

/// Builds a value and refuses duplicate keys. It also records whether any text has a NUL character, so that only such
/// bodies are searched for its path.
#[derive(Clone, Copy)]
struct Strict<'a> {
    nul_seen: &'a Cell<bool>,
}

impl Strict<'_> {
    fn note_nul(self, text: &str) {
        if text.contains('\0') {
            self.nul_seen.set(true);
        }
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        self.note_nul(value);
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        self.note_nul(&value);
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = items.next_element_seed(self)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(name) = entries.next_key::<String>()? {
            self.note_nul(&name);
            if fields.contains_key(&name) {
                return Err(A::Error::custom(format_args!("the key `{}` appears twice", shown(&name))));
            }
            fields.insert(name, entries.next_value_seed(self)?);
        }
        Ok(Value::Object(fields))
    }
}
