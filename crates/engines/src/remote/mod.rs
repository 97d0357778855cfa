//! Models on other servers that implement the OpenAI API.

pub(crate) mod breaker;
mod chat_body;
pub(crate) mod client;
mod completion;
mod event_reader;
mod lenient;
mod server_error;
pub(crate) mod speech;
pub(crate) mod text;
mod transcription_response;
mod transcription_stream;
