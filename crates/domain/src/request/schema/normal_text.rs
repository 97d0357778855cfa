//! Writes a schema of a request in the form in which it is kept: without spaces and without needless escape sequences, so
//! that equal schemas have equal texts. It goes from text to text, because a tree of values takes much more memory.

use std::{fmt, io};

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde::{Deserializer, Serialize};

/// The normal form of a JSON text; `None` if it is longer than `limit` or nested too deeply.
pub(super) fn normal_text(text: &str, limit: usize) -> Option<String> {
    let mut writer = Writer { bytes: Vec::new(), limit };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    Copy { writer: &mut writer, before: "" }.deserialize(&mut deserializer).ok()?;
    String::from_utf8(writer.bytes).ok()
}

/// Text of a limited length.
struct Writer {
    bytes: Vec<u8>,
    limit: usize,
}

impl io::Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Writer {
    /// Writes a number, a string or another value that is not a container.
    fn value<E: serde::de::Error>(&mut self, value: impl Serialize) -> Result<(), E> {
        serde_json::to_writer(&mut *self, &value).map_err(E::custom)
    }

    fn mark<E: serde::de::Error>(&mut self, mark: &str) -> Result<(), E> {
        io::Write::write_all(self, mark.as_bytes()).map_err(E::custom)
    }
}

/// Copies one value, with the mark that separates it from what was written before.
struct Copy<'a> {
    writer: &'a mut Writer,
    before: &'static str,
}

impl<'de> DeserializeSeed<'de> for Copy<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.writer.mark(self.before)?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Copy<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.writer.mark("null")
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        self.writer.value(value)
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        self.writer.value(value)
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        self.writer.value(value)
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        self.writer.value(value)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        self.writer.value(text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let writer = self.writer;
        writer.mark("[")?;
        let mut before = "";
        while items.next_element_seed(Copy { writer: &mut *writer, before })?.is_some() {
            before = ",";
        }
        writer.mark("]")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        let writer = self.writer;
        writer.mark("{")?;
        let mut before = "";
        while fields.next_key_seed(Copy { writer: &mut *writer, before })?.is_some() {
            fields.next_value_seed(Copy { writer: &mut *writer, before: ":" })?;
            before = ",";
        }
        writer.mark("}")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_normal_text_is_that_of_the_tree_of_values() {
        for text in [
            r#" { "b" : [ 1 , -2.50 , 1e3, 1E40, true , null ] , "\u0061\n" : { } , "c":[ ],"d":"\u00e9\"" } "#,
            "[18446744073709551615,-9223372036854775808,111111111151111111114,0.1234567890123456789]",
            "\"\"",
        ] {
            let expected = serde_json::from_str::<Value>(text).unwrap().to_string();
            assert_eq!(normal_text(text, expected.len()), Some(expected.clone()), "{text}");
            assert_eq!(normal_text(text, expected.len() - 1), None, "{text}");
        }
        assert_eq!(normal_text(&"[".repeat(100_000), 1_000_000), None);
    }
}
