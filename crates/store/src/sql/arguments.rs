//! The arguments of a statement: the only two kinds of value that both databases store.

use auris_domain::id::{
    ArtifactId, DeliveryId, EndpointId, EntryId, EventId, JobId, KeyId, ModelTaskId, NodeId, OperatorKeyId,
    ProjectId, RequestId, SessionId, StepId,
};
use auris_domain::money::Usd;
use auris_domain::time::{Millis, Timestamp};

use crate::error::StoreError;

/// The value of a `$n`.
#[derive(Debug, Clone)]
pub enum Argument {
    Text(Option<String>),
    Integer(Option<i64>),
}

/// The arguments of a statement, each converted to an `Argument`.
macro_rules! args {
    ($($value:expr),* $(,)?) => { vec![$($crate::sql::arguments::Argument::from($value)),*] };
}
pub(crate) use args;

/// PostgreSQL cannot store a NUL character in text and SQLite can, so the store refuses it on both.
pub(crate) fn refuse_nul(arguments: &[Argument]) -> Result<(), StoreError> {
    let has_nul = |argument: &Argument| match argument {
        Argument::Text(Some(text)) => text.as_bytes().contains(&0),
        Argument::Text(None) | Argument::Integer(_) => false,
    };
    if arguments.iter().any(has_nul) {
        return Err(StoreError::internal("text that contains a NUL character cannot be stored"));
    }
    Ok(())
}

macro_rules! text_arguments {
    ($($kind:ty),* $(,)?) => {$(
        impl From<&$kind> for Argument {
            fn from(value: &$kind) -> Self {
                Self::Text(Some(value.to_string()))
            }
        }

        impl From<Option<&$kind>> for Argument {
            fn from(value: Option<&$kind>) -> Self {
                Self::Text(value.map(ToString::to_string))
            }
        }
    )*};
}

text_arguments!(
    str,
    ArtifactId,
    DeliveryId,
    EndpointId,
    EntryId,
    EventId,
    JobId,
    KeyId,
    ModelTaskId,
    NodeId,
    OperatorKeyId,
    ProjectId,
    RequestId,
    SessionId,
    StepId,
    Usd,
);

impl From<&String> for Argument {
    fn from(value: &String) -> Self {
        Self::Text(Some(value.clone()))
    }
}

impl From<String> for Argument {
    fn from(value: String) -> Self {
        Self::Text(Some(value))
    }
}

impl From<Option<String>> for Argument {
    fn from(value: Option<String>) -> Self {
        Self::Text(value)
    }
}

impl From<i64> for Argument {
    fn from(value: i64) -> Self {
        Self::Integer(Some(value))
    }
}

impl From<Option<i64>> for Argument {
    fn from(value: Option<i64>) -> Self {
        Self::Integer(value)
    }
}

impl From<u32> for Argument {
    fn from(value: u32) -> Self {
        Self::Integer(Some(value.into()))
    }
}

impl From<u64> for Argument {
    /// Measured counts stay far below the maximum; a larger one saturates.
    fn from(value: u64) -> Self {
        Self::Integer(Some(i64::try_from(value).unwrap_or(i64::MAX)))
    }
}

impl From<Timestamp> for Argument {
    fn from(value: Timestamp) -> Self {
        Self::Integer(Some(value.0))
    }
}

impl From<Option<Timestamp>> for Argument {
    fn from(value: Option<Timestamp>) -> Self {
        Self::Integer(value.map(|moment| moment.0))
    }
}

impl From<Millis> for Argument {
    fn from(value: Millis) -> Self {
        Self::Integer(Some(value.0))
    }
}
