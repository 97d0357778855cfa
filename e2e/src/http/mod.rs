//! HTTP as the tests use it: a client that checks every answer, forms, event streams and common requests.

mod client;
mod closed_window;
mod event_stream;
mod form;
mod raw_request;
mod reply;
pub mod requests;

pub use client::{Call, Client};
pub use closed_window::closed_window_requests;
pub use event_stream::{Event, EventStream, parse_stream};
pub use form::Form;
pub use raw_request::RawRequest;
pub use reply::{ErrorBody, Reply};
