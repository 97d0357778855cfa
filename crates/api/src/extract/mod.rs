//! Turns the parts of a raw request into checked values.

mod body;
mod caller;
mod headers;
mod path;
mod small_json;

pub(crate) use body::JsonBody;
pub(crate) use caller::Authenticated;
pub(crate) use headers::{IdempotencyKey, idempotency_key, last_event_id, required_idempotency_key};
pub(crate) use path::PathId;
pub(crate) use small_json::SmallBody;
