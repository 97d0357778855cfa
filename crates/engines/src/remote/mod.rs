//! Models on other servers that implement the OpenAI API.

pub(crate) mod breaker;
mod completion;
mod http;
pub(crate) mod speech;
pub(crate) mod text;
mod transcription_response;
mod transcription_stream;
