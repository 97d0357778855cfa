//! JSON that is written once and then stored or sent unchanged.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

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
