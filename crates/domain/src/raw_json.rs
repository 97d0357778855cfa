//! A JSON value as a piece of a text, read only as far as it is needed.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeOwned, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// A value in a text that is known to be JSON. It borrows the text, so it needs no memory.
#[derive(Clone, Copy)]
pub struct RawJson<'a>(&'a str);

impl<'a> RawJson<'a> {
    pub const NULL: Self = Self("null");

    /// The only value of a text.
    pub fn whole(text: &'a str) -> Result<Self, serde_json::Error> {
        serde_json::from_str::<&RawValue>(text).map(Self::from)
    }

    /// The value with this text, which is a piece of a text that is known to be JSON.
    pub(crate) fn of_piece(text: &'a str) -> Self {
        Self(text)
    }

    pub fn as_str(self) -> &'a str {
        self.0
    }

    pub fn is_object(self) -> bool {
        self.0.starts_with('{')
    }

    pub fn is_array(self) -> bool {
        self.0.starts_with('[')
    }

    pub fn is_null(self) -> bool {
        self.0 == "null"
    }

    /// How a message names the type of the value.
    pub(crate) fn kind(self) -> &'static str {
        match self.0.as_bytes().first() {
            Some(b'n') => "null",
            Some(b't' | b'f') => "a boolean",
            Some(b'"') => "a string",
            Some(b'[') => "an array",
            Some(b'{') => "an object",
            Some(_) | None => "a number",
        }
    }

    /// The text of a string; `None` for other values.
    pub(crate) fn string(self) -> Option<Cow<'a, str>> {
        if !self.0.starts_with('"') {
            return None;
        }
        let inside = self.0.get(1..self.0.len().saturating_sub(1))?;
        if !inside.contains('\\') {
            return Some(Cow::Borrowed(inside));
        }
        self.read().map(Cow::Owned)
    }

    /// The value as another type; `None` if it does not fit. It takes memory, so it is for values of limited size.
    pub(crate) fn read<T: DeserializeOwned>(self) -> Option<T> {
        serde_json::from_str(self.0).ok()
    }

    /// Passes on the items of an array with their indices, until `take` fails. Does nothing for other values.
    pub(crate) fn for_each_item<E>(
        self,
        mut take: impl FnMut(usize, RawJson<'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut failed = None;
        if self.is_array() {
            let visitor = Items { take: &mut take, failed: &mut failed };
            // The text is JSON, so it fails only if `take` does.
            let _ = serde_json::Deserializer::from_str(self.0).deserialize_seq(visitor);
        }
        failed.map_or(Ok(()), Err)
    }

    /// Passes on the fields of an object in their order, until `take` fails. Does nothing for other values.
    pub(crate) fn for_each_field<E>(
        self,
        mut take: impl FnMut(Cow<'a, str>, RawJson<'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut failed = None;
        if self.is_object() {
            let visitor = Fields { take: &mut take, failed: &mut failed };
            let _ = serde_json::Deserializer::from_str(self.0).deserialize_map(visitor);
        }
        failed.map_or(Ok(()), Err)
    }
}

/// Written as it is.
impl Serialize for RawJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value: &RawValue = serde_json::from_str(self.0).map_err(serde::ser::Error::custom)?;
        value.serialize(serializer)
    }
}

impl<'a> From<&'a RawValue> for RawJson<'a> {
    fn from(value: &'a RawValue) -> Self {
        Self(value.get())
    }
}

/// The text without the whitespace between its tokens.
pub(crate) fn compact(text: &str, into: &mut String) {
    let mut rest = text;
    while let Some(quote) = rest.find('"') {
        push_without_whitespace(&rest[..quote], into);
        let end = quote + 1 + string_length(&rest[quote + 1..]);
        into.push_str(&rest[quote..end]);
        rest = &rest[end..];
    }
    push_without_whitespace(rest, into);
}

fn push_without_whitespace(text: &str, into: &mut String) {
    into.extend(text.split([' ', '\n', '\r', '\t']));
}

/// The length of a string up to and including its closing quote, from the byte after its opening quote on.
pub(crate) fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return index + 1,
            _ => {}
        }
    }
    text.len()
}

struct Items<'f, F, E> {
    take: &'f mut F,
    failed: &'f mut Option<E>,
}

impl<'de, E, F: FnMut(usize, RawJson<'de>) -> Result<(), E>> Visitor<'de> for Items<'_, F, E> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let mut index = 0;
        while let Some(item) = items.next_element::<&'de RawValue>()? {
            if let Err(error) = (self.take)(index, item.into()) {
                *self.failed = Some(error);
                return Err(A::Error::custom("stopped"));
            }
            index += 1;
        }
        Ok(())
    }
}

struct Fields<'f, F, E> {
    take: &'f mut F,
    failed: &'f mut Option<E>,
}

impl<'de, E, F: FnMut(Cow<'de, str>, RawJson<'de>) -> Result<(), E>> Visitor<'de> for Fields<'_, F, E> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while let Some(name) = fields.next_key::<FieldName<'de>>()? {
            let value = fields.next_value::<&'de RawValue>()?;
            if let Err(error) = (self.take)(name.0, value.into()) {
                *self.failed = Some(error);
                return Err(A::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}

/// A name, borrowed from the body if it has no escape sequence.
struct FieldName<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> serde::Deserialize<'de> for FieldName<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameVisitor;

        impl<'de> Visitor<'de> for NameVisitor {
            type Value = FieldName<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<FieldName<'de>, E> {
                Ok(FieldName(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<FieldName<'de>, E> {
                Ok(FieldName(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(NameVisitor)
    }
}
