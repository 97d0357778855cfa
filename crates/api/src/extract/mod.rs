//! Raw requests become checked values here, and nowhere else.

mod body;
mod caller;
mod headers;
mod path;

pub(crate) use body::JsonBody;
pub(crate) use caller::Authenticated;
pub(crate) use headers::{idempotency_key, last_event_id, required_idempotency_key};
pub(crate) use path::PathId;
