//! Fields of a server's JSON that may have another type than expected: servers differ, and most fields are optional.

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

/// A value of the expected type; `None` for any other.
pub(super) fn lenient<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Field<T> {
        Expected(T),
        Other(IgnoredAny),
    }
    Ok(match Field::deserialize(deserializer)? {
        Field::Expected(value) => Some(value),
        Field::Other(_) => None,
    })
}
