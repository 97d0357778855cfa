//! Models on other servers that speak the OpenAI protocol.

mod answer;
pub(crate) mod breaker;
mod call;
mod completion;
mod events;
pub(crate) mod speech;
pub(crate) mod text;
