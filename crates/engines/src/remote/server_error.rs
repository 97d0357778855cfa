//! The `error` of a server's response or event: an object with a message, or only the message.

use serde::Deserialize;
use serde::de::IgnoredAny;

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum ServerError {
    Object { message: String },
    Text(String),
    Other(IgnoredAny),
}

impl ServerError {
    /// `None` if the server gave none.
    pub(super) fn message(&self) -> Option<&str> {
        match self {
            Self::Object { message } | Self::Text(message) => Some(message),
            Self::Other(_) => None,
        }
    }
}
