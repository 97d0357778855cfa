//! JSON that is written once and then stored or sent unchanged.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::json_length::json_length;

/// A JSON document as text. A tree of values would be more expensive and only be written again.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JsonText(Box<RawValue>);

impl JsonText {
    /// Writes a value of the API.
    #[expect(clippy::expect_used, reason = "our types have string keys and no failing serializers")]
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Self {
        Self(to_raw_value(value).expect("a value of the API can be written as JSON"))
    }

    /// Takes a text that is known to be JSON.
    #[expect(clippy::expect_used, reason = "the caller has checked the text")]
    pub(crate) fn from_checked(text: String) -> Self {
        Self(RawValue::from_string(text).expect("the text is JSON"))
    }

    /// Writes a value of about this number of bytes, without a buffer that grows.
    #[expect(clippy::expect_used, reason = "our types have string keys and no failing serializers")]
    pub(crate) fn with_capacity<T: Serialize>(value: &T, bytes: usize) -> Self {
        let mut text = Vec::with_capacity(bytes);
        serde_json::to_writer(&mut text, value).expect("a value of the API can be written as JSON");
        Self::from_checked(String::from_utf8(text).expect("JSON is UTF-8"))
    }

    /// Reads stored text. Fails if it is not JSON.
    pub fn from_stored(text: String) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text).map(Self)
    }

    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    pub fn into_string(self) -> String {
        Box::<str>::from(self.0).into_string()
    }
}

impl PartialEq for JsonText {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl fmt::Debug for JsonText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl fmt::Display for JsonText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// The JSON of a value of the API that may be large. Its length is counted first: a buffer that grows would need up to
/// three times as much memory.
#[expect(clippy::expect_used, reason = "our types have string keys and no failing serializers")]
pub(crate) fn json_bytes<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(json_length(value));
    serde_json::to_writer(&mut bytes, value).expect("a value of the API can be written as JSON");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_buffer_of_a_document_has_its_size_from_the_beginning() {
        let text = "\"A\"\n\u{1}ë".repeat(1_000);
        let bytes = json_bytes(&text);
        assert_eq!((bytes.len(), bytes.capacity()), (json_length(&text), json_length(&text)));
        assert_eq!(bytes, serde_json::to_vec(&text).unwrap());
    }
}
